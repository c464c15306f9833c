import { NOTHING } from '../../listeners/commands.ts';
import type { Feature } from '../../listeners/feature.ts';
import { onLink } from '../../listeners/link.ts';
import { handleDashboard, type SignInDeps } from './dashboard-command.ts';
import { SIGN_IN_BUTTONS } from './ids.ts';
import { createSignInKind } from './sign-in-kind.ts';

export const signIn = {
  words: {
    dashboard: {
      aliases: ['login'],
      takes: { ...NOTHING, references: 'one' },
      usage: '[<#number, id or service>]',
      help: 'gives you a link to the dashboard, or to the page of one incident',
      example: '#142',
      handle: handleDashboard,
    },
  },
  listeners: () => ({
    buttons: { [SIGN_IN_BUTTONS.openDashboard]: onLink },
  }),
  messages: ({ createDashboardLink: createLink, now }: Pick<SignInDeps, 'createDashboardLink' | 'now'>) => ({
    'sign-in': createSignInKind({ createLink, now }),
  }),
} satisfies Feature<SignInDeps>;
