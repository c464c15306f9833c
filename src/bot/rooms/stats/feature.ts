import { NOTHING } from '../../listeners/commands.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { Feature } from '../../listeners/feature.ts';
import { handleStats } from './stats-command.ts';

export const stats = {
  words: {
    stats: {
      aliases: [],
      takes: { ...NOTHING, filters: ['period', 'any service'] },
      usage: '[7d] [<service>]',
      help: 'counts incidents, time to acknowledge and to close, frequent roots and noise',
      example: '7d payments',
      handle: handleStats,
    },
  },
} satisfies Feature<ListenerDeps>;
