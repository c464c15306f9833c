import { NOTHING } from '../../listeners/commands.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { Feature, Needs } from '../../listeners/feature.ts';
import { handleHandover } from './handover-command.ts';
import { createHandoverKind } from './handover-kind.ts';

export const handover = {
  words: {
    handover: {
      aliases: [],
      takes: { ...NOTHING, filters: ['period'] },
      usage: '[8h]',
      help: 'posts the summary of the shift to this channel',
      example: '',
      handle: handleHandover,
    },
  },
  messages: (deps: Needs<typeof createHandoverKind>) => ({ handover: createHandoverKind(deps) }),
} satisfies Feature<ListenerDeps>;
