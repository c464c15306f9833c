import { HALF, LEAST_NOW, LEAST_RUNS, LEAST_SERVICES } from './constants.ts';
import { countWriting, type Tally, type Watch } from './tally.ts';

/** Runs of the last minute by sender and service: how many usually write a line, and how many did. */
export type SeenLines = Map<string, Map<string, { expected: number; told: number }>>;

export function createSeenLines(): SeenLines {
  return new Map();
}

/** Counts the runs of an operation that usually writes lines. */
export function noteLines(seen: SeenLines, { sender, service, usual }: Watch, now: Tally): void {
  const ever = countWriting(usual);
  if (ever.runs < LEAST_RUNS || ever.told < HALF * ever.runs) {
    return;
  }
  const { runs, told } = countWriting(now);
  const ofSender = seen.get(sender) ?? new Map<string, { expected: number; told: number }>();
  seen.set(sender, ofSender);
  const known = ofSender.get(service) ?? { expected: 0, told: 0 };
  ofSender.set(service, { expected: known.expected + (runs * ever.told) / ever.runs, told: known.told + told });
}

/**
 * The share of a sender's lines that is lost on the way, as batches of an overloaded pipeline are: at least half of all services lack so many.
 * A fault stops the lines of few.
 */
export function sharesLost(seen: SeenLines): Map<string, number> {
  return new Map([...seen].map(([sender, services]) => [sender, shareLost([...services.values()])]));
}

function shareLost(services: readonly { readonly expected: number; readonly told: number }[]): number {
  const shares = services
    .filter(({ expected }) => expected >= LEAST_NOW)
    .map(({ expected, told }) => Math.max(0, 1 - told / expected))
    .toSorted((a, b) => a - b);
  return shares.length < LEAST_SERVICES ? 0 : (shares[Math.floor((shares.length - 1) / 2)] ?? 0);
}
