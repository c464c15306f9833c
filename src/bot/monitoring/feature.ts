import { answers } from '../listeners/command-handler.ts';
import { NOTHING } from '../listeners/commands.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import type { Feature } from '../listeners/feature.ts';
import { type Health, healthMessage } from './health-view.ts';

type HealthDeps = ListenerDeps & { readonly health: () => Promise<Health> };

export const health = {
  words: {
    health: {
      aliases: [],
      takes: NOTHING,
      usage: '',
      help: 'shows how late the cards are and why',
      example: '',
      handle: answers(async (deps, _request, answer) => answer(healthMessage(await deps.health()))),
    },
  },
} satisfies Feature<HealthDeps>;
