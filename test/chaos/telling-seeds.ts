import { inject } from 'vitest';
import { type Doing, planOf } from './plan.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** From vitest.config.ts. */
    chaosSeedsPerTransport: number;
  }
}

/** Of each plan. */
export const SIZE = { steps: 45 };
const CANDIDATES = 15;
/** Failures that matter to what was done a moment ago. */
const FAILURES: ReadonlySet<Doing['kind']> = new Set([
  'kill a bot',
  'fail a call',
  'limit',
  'Slack is away',
  'cut the sockets',
  'drop acknowledgements',
  'the service is away',
  'the service fails',
  'the network delays a write',
] as const);
const A_MOMENT = 3;

/**
 * The seeds of this run, of the candidates from `first` on: always the one whose plan has most that the plans before it
 * lack. The second half of the candidates adds a tenth of what all have.
 */
export function tellingSeeds(first: number): readonly number[] {
  const left = new Map(
    Array.from({ length: CANDIDATES }, (_, index) => [first + index, happeningsOf(first + index)] as const),
  );
  const seen = new Set<string>();
  return Array.from({ length: inject('chaosSeedsPerTransport') }, () => {
    const news = [...left].map(([seed, all]) => ({ seed, count: [...all].filter((each) => !seen.has(each)).length }));
    const { seed } = news.reduce((most, each) => (each.count > most.count ? each : most));
    left.get(seed)?.forEach((each) => void seen.add(each));
    left.delete(seed);
    return seed;
  });
}

/** What happens at which service, and which failure follows what. */
function happeningsOf(seed: number): ReadonlySet<string> {
  const { shape, steps } = planOf(seed, SIZE);
  return new Set(
    steps.flatMap(({ doing: { kind } }, index) => [
      `${kind} at a service that is ${shape}`,
      ...steps
        .slice(index + 1, index + 1 + A_MOMENT)
        .filter(({ doing }) => FAILURES.has(doing.kind))
        .map(({ doing }) => `${kind}, then ${doing.kind}`),
    ]),
  );
}
