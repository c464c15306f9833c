import type { FailuresChart } from '../../charts/failures-chart.tsx';
import type { MinuteOfService } from '../../store/incidents/service-failures.ts';
import { type ChartRange, chartOf } from './chart-of.ts';

/** Parts of a bar. */
const MAX_PARTS = 4;

/** A chart whose bars are divided. */
export interface StackedChart {
  readonly chart: FailuresChart;
  /** From the bottom up: the root, then the most first; null: all other services. */
  readonly parts: readonly { readonly service: string | null; readonly total: number; readonly others: number }[];
}

/**
 * Failures by service over a range: the root, those with most, and the rest as one. null: fewer than two services
 * have any.
 */
export function stackOf(range: ChartRange, counted: readonly MinuteOfService[], root: string): StackedChart | null {
  const byService = [...Map.groupBy(counted, ({ service }) => service)]
    .map(([service, minutes]) => ({ service, minutes, total: totalOf(minutes) }))
    .toSorted(
      (one, other) =>
        Number(other.service === root) - Number(one.service === root) ||
        other.total - one.total ||
        (one.service < other.service ? -1 : 1),
    );
  if (byService.length < 2) {
    return null;
  }
  const alone = byService.length <= MAX_PARTS ? MAX_PARTS : MAX_PARTS - 1;
  const named = byService.slice(0, alone);
  const rest = byService.slice(alone).flatMap(({ minutes }) => minutes);
  const groups = [
    ...named.map(({ service, minutes }) => ({ service, minutes })),
    ...(rest.length === 0 ? [] : [{ service: null, minutes: rest }]),
  ];
  return {
    chart: { ...chartOf(range, counted, []), parts: groups.map(({ minutes }) => chartOf(range, minutes, []).counts) },
    parts: groups.map(({ service, minutes }) => ({
      service,
      total: totalOf(minutes),
      others: service === null ? byService.length - alone : 0,
    })),
  };
}

function totalOf(minutes: readonly MinuteOfService[]): number {
  return minutes.reduce((sum, { count }) => sum + count, 0);
}
