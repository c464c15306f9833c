import type { EngineState } from './engine-state.ts';
import type { UsualTime } from './requests/usual-times.ts';

/** Bytes of one entry, about: measured on generated systems, rounded up. */
const BYTES = {
  watch: 3_000,
  feature: 120,
  slot: 1_500,
  operation: 2_400,
  account: 2_600,
  confirmation: 700,
  series: 1_200,
  span: 900,
  key: 160,
  member: 900,
  edge: 240,
} as const;

/** An estimate of what the state takes in memory; its cost grows with the number of maps, not of what is in them. */
export function sizeOf({ judge, graph, correlation }: EngineState): number {
  const { watches, times, accounts, confirmations, series, totals, assembly, firings, examples, signals } = judge;
  const keys =
    firings.size +
    totals.size +
    examples.size +
    signals.size +
    assembly.seen.size +
    assembly.judged.size +
    assembly.lines.size +
    times.callees.size +
    times.aliases.size +
    4 * times.answers.size +
    judge.knownErrors.size +
    judge.endedAlerts.size;
  return (
    watches.size * (BYTES.watch + BYTES.slot) +
    (times.byOperation.size + times.byService.size) * BYTES.operation +
    accounts.byKey.size * BYTES.account +
    confirmations.byFingerprint.size * BYTES.confirmation +
    series.size * BYTES.series +
    assembly.spans * BYTES.span +
    keys * BYTES.key +
    (correlation.waiting.size + correlation.live.byFingerprint.size) * BYTES.member +
    graph.edges.size * BYTES.edge
  );
}

/** A map that may be cut, with how much each entry of it is worth and who sent it. */
interface Cuttable {
  readonly map: Map<string, unknown>;
  readonly bytes: number;
  readonly weigh: (value: never) => number;
}

/** How much one cut frees. */
const CUT = 0.25;
const MOST_CUTS = 100;

/**
 * Forgets what was seen least until the state fits: whoever makes up names pushes out what was made up. Of what is kept
 * by sender, the sender with the most entries gives first.
 *
 * @returns how many entries were forgotten
 */
export function fitState(state: EngineState, budget: number): number {
  let forgotten = 0;
  for (let cut = 0; cut < MOST_CUTS && sizeOf(state) > budget; cut += 1) {
    const largest = cuttable(state).toSorted((a, b) => b.map.size * b.bytes - a.map.size * a.bytes)[0];
    if (largest === undefined || largest.map.size === 0) {
      return forgotten;
    }
    forgotten += forgetRarest(largest);
  }
  return forgotten;
}

function cuttable({ judge }: EngineState): Cuttable[] {
  return [
    { map: judge.watches, bytes: BYTES.watch, weigh: ({ usual }: { usual: { total: number } }) => usual.total },
    { map: judge.times.byOperation, bytes: BYTES.operation, weigh: weighTimes },
    { map: judge.times.byService, bytes: BYTES.operation, weigh: weighTimes },
    { map: judge.accounts.byKey, bytes: BYTES.account, weigh: ({ requests }: { requests: number }) => requests },
    {
      map: judge.confirmations.byFingerprint,
      bytes: BYTES.confirmation,
      weigh: ({ looks }: { looks: number }) => looks,
    },
    { map: judge.series, bytes: BYTES.series, weigh: ({ active }: { active: number }) => active },
  ];
}

function weighTimes({ duration }: UsualTime): number {
  return duration.histogram.total;
}

function forgetRarest({ map, weigh }: Cuttable): number {
  const entries = [...map].map(([key, value]) => ({ key, weight: weigh(value as never) })); // of this very map
  const bySender = Map.groupBy(entries, ({ key }) => key.split('|', 1)[0] ?? '');
  const most = [...bySender.values()].toSorted((a, b) => b.length - a.length)[0] ?? entries;
  const wanted = Math.ceil(entries.length * CUT);
  const inOrder = most.length >= wanted ? most : entries;
  const rarest = inOrder.toSorted((a, b) => a.weight - b.weight || (a.key < b.key ? -1 : 1)).slice(0, wanted);
  for (const { key } of rarest) {
    map.delete(key);
  }
  return rarest.length;
}
