import type { FailuresChart } from '../../charts/failures-chart.tsx';
import type { MinuteOfService } from '../../store/incidents/service-failures.ts';
import { type ChartRange, chartOf } from './chart-of.ts';

/** Services that are drawn alone. */
const NAMED = 3;

/** A chart whose bars are divided. */
export interface StackedChart {
  readonly chart: FailuresChart;
  /** From the bottom up, the most first; null: all other services. */
  readonly parts: readonly { readonly service: string | null; readonly total: number; readonly others: number }[];
}

/** Failing signals by service over a range: the three with most, and the rest as one. null: fewer than two services have any. */
export function stackOf(range: ChartRange, counted: readonly MinuteOfService[]): StackedChart | null {
  const byService = [...Map.groupBy(counted, ({ service }) => service)]
    .map(([service, minutes]) => ({ service, minutes, total: totalOf(minutes) }))
    .toSorted((one, other) => other.total - one.total || (one.service < other.service ? -1 : 1));
  if (byService.length < 2) {
    return null;
  }
  const named = byService.slice(0, NAMED);
  const rest = byService.slice(NAMED).flatMap(({ minutes }) => minutes);
  const groups = [
    ...named.map(({ service, minutes }) => ({ service, minutes })),
    ...(rest.length === 0 ? [] : [{ service: null, minutes: rest }]),
  ];
  return {
    chart: { ...chartOf(range, counted, []), parts: groups.map(({ minutes }) => chartOf(range, minutes, []).counts) },
    parts: groups.map(({ service, minutes }) => ({
      service,
      total: totalOf(minutes),
      others: service === null ? byService.length - NAMED : 0,
    })),
  };
}

function totalOf(minutes: readonly MinuteOfService[]): number {
  return minutes.reduce((sum, { count }) => sum + count, 0);
}
