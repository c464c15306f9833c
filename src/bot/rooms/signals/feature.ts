import { NOTHING } from '../../listeners/commands.ts';
import type { Feature, Needs } from '../../listeners/feature.ts';
import type { SignalsDeps } from './read-signals.ts';
import { createSignalListeners, handleSignals } from './signals.ts';
import { createSignalsKind } from './signals-kind.ts';

export const signals = {
  words: {
    signals: {
      aliases: [],
      takes: { ...NOTHING, references: 'one' },
      usage: '<#number, id or service>',
      help: 'opens the signals of one incident and the possible root services',
      example: '#142',
      handle: handleSignals,
    },
  },
  listeners: (deps) => ({
    buttons: createSignalListeners(deps),
  }),
  messages: (deps: Needs<typeof createSignalsKind>) => ({ signals: createSignalsKind(deps) }),
} satisfies Feature<SignalsDeps>;
