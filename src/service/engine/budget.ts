import type { EngineState } from './engine.ts';
import type { Tally, Watch } from './judging/tally.ts';

/** Memory for all that is learnt. */
export const DEFAULT_LEARNT_BYTES = 256 * 1_048_576;

/** Bytes of an entry of a map besides its key, as V8 stores it. */
const ENTRY_BYTES = 80;
const TALLY_BYTES = 600;
/** How much is left after making room, so that it is not made for each watch again. */
const LEFT_SHARE = 0.9;

/** Estimate of the memory that what was learnt takes. */
export function sizeOf({ judge: { watches } }: EngineState): number {
  let bytes = 0;
  for (const watch of watches.values()) {
    bytes += sizeOfWatch(watch);
  }
  return bytes;
}

/**
 * Forgets what is usual until the rest fits. Each sender has an equal share: what is beyond it goes first, from the
 * sender that has most, and of it what was seen least and last. So who makes up names pushes out only their own.
 *
 * @returns how many operations, edges and streams of lines were forgotten
 */
export function fitBudget(state: EngineState, budgetBytes: number = DEFAULT_LEARNT_BYTES): number {
  let excess = sizeOf(state) - budgetBytes;
  if (excess <= 0) {
    return 0;
  }
  excess += (1 - LEFT_SHARE) * budgetBytes;
  const { watches } = state.judge;
  const { senders } = state.correlation.floods;
  const owned = Map.groupBy(watches, ([, { service }]) => senders.get(service) ?? '');
  const share = (LEFT_SHARE * budgetBytes) / owned.size;
  const owners = [...owned.values()]
    .map((own) => ({ own, bytes: own.reduce((sum, [, watch]) => sum + sizeOfWatch(watch), 0) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  let forgotten = 0;
  for (const { own, bytes } of owners) {
    let spare = bytes - share;
    const rarest = own.toReversed().toSorted(([, a], [, b]) => weightOf(a) - weightOf(b));
    for (const [key, watch] of rarest) {
      if (excess <= 0 || spare <= 0) {
        break;
      }
      const size = sizeOfWatch(watch);
      excess -= size;
      spare -= size;
      watches.delete(key);
      forgotten += 1;
    }
  }
  return forgotten;
}

function sizeOfWatch({ usual, slots }: Watch): number {
  let bytes = sizeOfTally(usual);
  for (const tally of slots.values()) {
    bytes += sizeOfTally(tally);
  }
  return bytes;
}

function sizeOfTally({ features, pairs }: Tally): number {
  return TALLY_BYTES + sizeOfCounts(features) + sizeOfCounts(pairs);
}

/** The first key stands for all. */
function sizeOfCounts(counts: ReadonlyMap<string, number>): number {
  const [key = ''] = counts.keys();
  return counts.size * (ENTRY_BYTES + key.length);
}

function weightOf({ usual, slots }: Watch): number {
  let weight = usual.total;
  for (const { total } of slots.values()) {
    weight += total;
  }
  return weight;
}
