import { countTold, type Tally, type Watch } from './tally.ts';

/** By sender and service: runs of the last minute that were to write a line, and those that did. */
export type SeenLines = Map<string, Map<string, { expected: number; told: number }>>;

export function createSeenLines(): SeenLines {
  return new Map();
}

const LEAST_RUNS = 10;
/** An operation of which fewer runs write lines tells nothing of lines that are lost. */
const MOST = 0.5;

/** Counts the runs of an operation that usually writes lines. */
export function noteLines(seen: SeenLines, { sender, service, usual }: Watch, now: Tally): void {
  const ever = countTold(usual);
  if (ever.runs < LEAST_RUNS || ever.told < MOST * ever.runs) {
    return;
  }
  const { runs, told } = countTold(now);
  const ofSender = seen.get(sender) ?? new Map<string, { expected: number; told: number }>();
  seen.set(sender, ofSender);
  const known = ofSender.get(service) ?? { expected: 0, told: 0 };
  ofSender.set(service, { expected: known.expected + (runs * ever.told) / ever.runs, told: known.told + told });
}

/** Fewer runs tell nothing of a service. */
const LEAST_EXPECTED = 5;
const LEAST_SERVICES = 2;

/**
 * The share of a sender's lines that is lost on the way, as batches of an overloaded pipeline are: at least half of all services lack so many.
 * A fault stops the lines of few.
 */
export function sharesLost(seen: SeenLines): Map<string, number> {
  return new Map([...seen].map(([sender, services]) => [sender, shareLost([...services.values()])]));
}

function shareLost(services: readonly { readonly expected: number; readonly told: number }[]): number {
  const shares = services
    .filter(({ expected }) => expected >= LEAST_EXPECTED)
    .map(({ expected, told }) => Math.max(0, 1 - told / expected))
    .toSorted((a, b) => a - b);
  return shares.length < LEAST_SERVICES ? 0 : (shares[Math.floor((shares.length - 1) / 2)] ?? 0);
}
