import type { MetricItem, MetricTotal } from '../../core/telemetry-item.ts';
import { senderKey, setBounded } from '../bounded-map.ts';
import { LIMITS } from '../limits.ts';

/** The last total of each series. */
export type MetricTotals = Map<string, MetricTotal & { readonly at: number; readonly value: number }>;

export function seriesKey(sender: string, { service, instance, series }: MetricItem): string {
  return senderKey(sender, service, instance, series);
}

/**
 * Turns a running total into what was added since the last one: the increase of a counter, the mean of a histogram.
 * Other metrics stay as they are.
 *
 * @returns null: the first total of a counter, a repeated one, or nothing was measured since the last
 */
export function sinceLastTotal(totals: MetricTotals, item: MetricItem, sender: string): MetricItem | null {
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
