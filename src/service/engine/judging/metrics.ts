import type { MetricItem, MetricMeaning } from '../../core/telemetry-item.ts';
import { getOrCreateFrequent, senderKey, setBounded } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import type { Histogram } from '../histogram.ts';
import { toEvidence } from './found-evidence.ts';
import { createSeries, judgeMetric, tellsFailures, tellsRecovery } from './judge-metric.ts';
import { addSeenCalls, type JudgingState, record } from './judging-state.ts';

/** Metrics that a service has only while it answers. */
const OF_REQUESTS: ReadonlySet<MetricMeaning> = new Set(['duration', 'unavailability']);

export function observeMetric(state: JudgingState, sent: MetricItem, sender: string, quiet: boolean): void {
  const item = sinceLastTotal(state.totals, sent, sender);
  if (item === null) {
    return;
  }
  countCalls(state, item, sender);
  const key = seriesKey(sender, item);
  const create = () => createSeries(item.service, usualBefore(state, item, sender, key));
  const series = getOrCreateFrequent(state.series, key, LIMITS.names, create, ({ usual }) => usual.total);
  const finding = judgeMetric(series, item);
  series.looks += quiet ? 1 : 0;
  series.active += 1;
  if (finding === null && OF_REQUESTS.has(item.meaning) && tellsRecovery(series)) {
    state.working.add(item.peer ?? item.service);
  }
  if (finding !== null) {
    record(
      state,
      toEvidence(state, finding, { ...series, sender, instance: item.instance }, 'metric', item.at, quiet, true),
    );
  }
}

/** Systems without traces have no other calls: their metrics tell who calls whom. */
function countCalls({ calls }: JudgingState, item: MetricItem, sender: string): void {
  const { service, peer, meaning, value, count = 0 } = item;
  if (peer === undefined || meaning !== 'unavailability') {
    return;
  }
  addSeenCalls(calls, { sender, caller: service, callee: peer, calls: count, failed: value * count });
}

/** A new instance, as after a deployment, begins with the usual failures of the one before: it may fail from the start. */
function usualBefore(
  { series, newestSeries }: JudgingState,
  item: MetricItem,
  sender: string,
  key: string,
): Histogram | undefined {
  if (!tellsFailures(item)) {
    return undefined;
  }
  const ofService = senderKey(sender, item.service, item.series);
  const before = newestSeries.get(ofService);
  setBounded(newestSeries, ofService, key, LIMITS.names);
  return series.get(before ?? '')?.usual;
}

function seriesKey(sender: string, { service, instance, series }: MetricItem): string {
  return senderKey(sender, service, instance, series);
}

/**
 * Turns a running total into what was added since the last one: the increase of a counter, the mean of a histogram.
 * Other metrics stay as they are.
 *
 * @returns null: the first total of a counter, a repeated one, or nothing was measured since the last
 */
function sinceLastTotal(totals: JudgingState['totals'], item: MetricItem, sender: string): MetricItem | null {
  const { total, at, value } = item;
  if (total === undefined) {
    return item;
  }
  const key = seriesKey(sender, item);
  const last = totals.get(key);
  if (last !== undefined && at <= last.at) {
    return null;
  }
  setBounded(totals, key, { ...total, at, value }, LIMITS.fingerprints);
  const hasRestarted =
    last === undefined ||
    total.startedAt !== last.startedAt ||
    value < last.value ||
    (total.count ?? 0) < (last.count ?? 0);
  const before = hasRestarted ? { value: 0, count: 0 } : { value: last.value, count: last.count ?? 0 };
  if (total.count === null) {
    return last === undefined ? null : { ...item, value: value - before.value };
  }
  const count = total.count - before.count;
  return count <= 0 ? null : { ...item, value: (value - before.value) / count, count };
}
