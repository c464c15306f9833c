import { countTold, type Tally, type Watch } from './tally.ts';

/** By service: runs of the last minute that were to write a line, and those that did. */
export type SeenLines = Map<string, { expected: number; told: number }>;

export function createSeenLines(): SeenLines {
  return new Map();
}

const LEAST_RUNS = 10;
/** An operation of which fewer runs write lines tells nothing of lines that are lost. */
const MOST = 0.5;

/** Counts the runs of an operation that usually writes lines. */
export function noteLines(seen: SeenLines, { service, usual }: Watch, now: Tally): void {
  const ever = countTold(usual);
  if (ever.runs < LEAST_RUNS || ever.told < MOST * ever.runs) {
    return;
  }
  const { runs, told } = countTold(now);
  const known = seen.get(service) ?? { expected: 0, told: 0 };
  seen.set(service, { expected: known.expected + (runs * ever.told) / ever.runs, told: known.told + told });
}

/** Fewer runs tell nothing of a service. */
const LEAST_EXPECTED = 5;
const LEAST_SERVICES = 2;

/**
 * The share of lines that is lost on the way, as batches of an overloaded pipeline are: at least half of all services lack so many.
 * A fault stops the lines of few.
 */
export function shareLost(seen: SeenLines): number {
  const shares = [...seen.values()]
    .filter(({ expected }) => expected >= LEAST_EXPECTED)
    .map(({ expected, told }) => Math.max(0, 1 - told / expected))
    .toSorted((a, b) => a - b);
  return shares.length < LEAST_SERVICES ? 0 : (shares[Math.floor((shares.length - 1) / 2)] ?? 0);
}
