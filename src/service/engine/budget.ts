import type { Account } from './accounts/accounts.ts';
import { sizeOfCompared } from './accounts/compared-requests.ts';
import { senderIn } from './bounded-map.ts';
import type { EngineState } from './engine-state.ts';
import { observationsOf, type Tally, type Watch } from './judging/tally.ts';
import type { UsualTime } from './requests/usual-times.ts';

/** Estimated bytes of one entry: measured on generated systems, rounded up. */
const BYTES = {
  tally: 600,
  /** An entry of a map of counts, besides its key. */
  count: 80,
  operation: 2_400,
  account: 3_000,
  stream: 400,
  confirmation: 700,
  series: 1_200,
  span: 900,
  key: 160,
  member: 900,
  edge: 240,
} as const;

/** Upper bound of the estimated size of the states that one process has, in bytes. */
export const STATE_BYTES = 256 * 2 ** 20;

/** Share of the budget that is left after forgetting, so that the next step does not have to forget again. */
const LEFT_SHARE = 0.9;

/** An entry of a map that can be evicted, with its size, how often it was seen, and its sender. */
interface Entry {
  readonly map: Map<string, unknown>;
  readonly key: string;
  readonly bytes: number;
  readonly weight: number;
  readonly sender: string;
}

/** Estimates the memory of the state. The cost grows with the number of watches. */
export function sizeOf(state: EngineState): number {
  const { watches, times, accounts, confirmations, series } = state.judge;
  let bytes = sizeOfRest(state);
  for (const watch of watches.values()) {
    bytes += sizeOfWatch(watch);
  }
  for (const account of accounts.byKey.values()) {
    bytes += sizeOfAccount(account);
  }
  return (
    bytes +
    (times.byOperation.size + times.byService.size) * BYTES.operation +
    confirmations.byKey.size * BYTES.confirmation +
    series.size * BYTES.series
  );
}

/** Memory that this file does not free: each of these maps has a limit of its own. */
function sizeOfRest({ judge, graph, correlation }: EngineState): number {
  const {
    accounts,
    arrivals,
    times,
    assembly,
    firings,
    newestSeries,
    totals,
    examples,
    signals,
    knownErrors,
    endedAlerts,
  } = judge;
  const keys =
    firings.size +
    newestSeries.size +
    totals.size +
    examples.size +
    signals.size +
    assembly.seen.size +
    assembly.seenLines.size +
    assembly.judged.size +
    assembly.lateness.size +
    assembly.lines.size +
    times.callees.size +
    times.aliases.size +
    accounts.lostBySpan.size +
    times.guessed.size +
    times.answeredLate.size +
    5 * times.answers.size +
    knownErrors.size +
    endedAlerts.size +
    2 * arrivals.bySource.size +
    correlation.bystanders.seen.size;
  return (
    assembly.spans * BYTES.span +
    keys * BYTES.key +
    (correlation.waiting.size + correlation.live.byFingerprint.size) * BYTES.member +
    graph.edges.size * BYTES.edge
  );
}

/**
 * Evicts baselines until the state fits the budget. Each sender has an equal share. The sender that uses the most loses
 * what exceeds its share, the rarest entries first, so a sender that makes up names forgets only those.
 *
 * @returns how many entries were forgotten
 */
export function fitBudget(state: EngineState, budgetBytes: number): number {
  const size = sizeOf(state);
  if (size <= budgetBytes) {
    return 0;
  }
  const bySender = Map.groupBy(listEntries(state), ({ sender }) => sender);
  const owners = [...bySender.values()]
    .map((entries) => ({ entries, bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  const share = Math.max(0, LEFT_SHARE * budgetBytes - sizeOfRest(state)) / Math.max(owners.length, 1);
  let excess = size - LEFT_SHARE * budgetBytes;
  let forgotten = 0;
  for (const { entries, bytes } of owners) {
    let spare = bytes - share;
    for (const entry of entries.toSorted((a, b) => a.weight - b.weight)) {
      if (excess <= 0 || spare <= 0) {
        break;
      }
      entry.map.delete(entry.key);
      excess -= entry.bytes;
      spare -= entry.bytes;
      forgotten += 1;
    }
  }
  return forgotten;
}

/** Newest first: of two entries that were seen equally often, the newer one is forgotten. */
function listEntries({ judge }: EngineState): Entry[] {
  const { watches, times, accounts, confirmations, series } = judge;
  const timesOf = (map: Map<string, UsualTime>) =>
    entriesOf(map, ({ duration }, key) => ({
      bytes: BYTES.operation,
      weight: duration.histogram.total,
      sender: senderIn(key),
    }));
  return [
    ...entriesOf(watches, (watch) => ({
      bytes: sizeOfWatch(watch),
      weight: observationsOf(watch),
      sender: watch.sender,
    })),
    ...timesOf(times.byOperation),
    ...timesOf(times.byService),
    ...entriesOf(accounts.byKey, (account) => ({
      bytes: sizeOfAccount(account),
      weight: account.requests,
      sender: account.sender,
    })),
    ...entriesOf(confirmations.byKey, ({ looks }, key) => ({
      bytes: BYTES.confirmation,
      weight: looks,
      sender: senderIn(key),
    })),
    ...entriesOf(series, ({ active }, key) => ({
      bytes: BYTES.series,
      weight: active,
      sender: senderIn(key),
    })),
  ].toReversed();
}

function entriesOf<Value>(
  map: Map<string, Value>,
  describe: (value: Value, key: string) => Pick<Entry, 'bytes' | 'weight' | 'sender'>,
): Entry[] {
  return [...map].map(([key, value]) => ({ map, key, ...describe(value, key) }));
}

function sizeOfAccount({ instances, compared, episodes }: Account): number {
  let bytes = BYTES.account + BYTES.stream * instances.size + sizeOfCompared(compared);
  for (const { lostWhere, wellWhere } of episodes.values()) {
    bytes += sizeOfCounts(lostWhere) + sizeOfCounts(wellWhere);
  }
  return bytes;
}

function sizeOfWatch({ usual, slots }: Watch): number {
  let bytes = sizeOfTally(usual);
  for (const tally of slots.values()) {
    bytes += sizeOfTally(tally);
  }
  return bytes;
}

function sizeOfTally({ features, unexplained, pairs }: Tally): number {
  return BYTES.tally + sizeOfCounts(features) + sizeOfCounts(unexplained) + sizeOfCounts(pairs);
}

/** The length of the first key is taken for all keys. */
function sizeOfCounts(counts: ReadonlyMap<string, number>): number {
  const [key = ''] = counts.keys();
  return counts.size * (BYTES.count + key.length);
}
