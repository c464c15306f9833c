import { NOTHING } from '../../listeners/commands.ts';
import type { Feature } from '../../listeners/feature.ts';
import type { SignalsDeps } from './read-signals.ts';
import { createSignalListeners, handleSignals } from './signals.ts';

export const signals: Feature<SignalsDeps> = {
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
};
