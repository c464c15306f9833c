import { ACTIONS } from '../../blocks/ids.ts';
import type { Feature, Needs } from '../../listeners/feature.ts';
import { onLink } from '../../listeners/link.ts';
import { createCardKind } from './card-kind.ts';
import { type CardDeps, createMessageListener } from './message-deleted.ts';
import { createReplyKind } from './reply-kind.ts';

export const card = {
  listeners: (deps) => ({
    buttons: {
      [ACTIONS.linkRunbook]: onLink,
      [ACTIONS.linkGenerator]: onLink,
      [ACTIONS.linkDashboard]: onLink,
      [ACTIONS.linkTrace]: onLink,
    },
    onMessage: createMessageListener(deps),
  }),
  messages: (deps: Needs<typeof createCardKind> & Needs<typeof createReplyKind>) => ({
    card: createCardKind(deps),
    reply: createReplyKind(deps),
  }),
} satisfies Feature<CardDeps>;
