import { z } from 'zod';
import { nameOf } from '../../../contract/actor.ts';
import { subMinutes } from '../../../runtime/dates.ts';
import type { ChartMark, FailuresChart } from '../../charts/failures-chart.tsx';
import type { IncidentRecord, MinuteOfFailures } from '../../core/incident.ts';
import type { ObservedChange } from '../../core/observed.ts';

const MINUTE_MS = 60_000;
/** Shown before the opening and after the end, so that the change is seen. */
const MARGIN_MINUTES = 5;
const LEAST_MINUTES = 20;
const MAX_BARS = 90;
/** Deployments are shown if they were at most this long before the opening. */
const BEFORE_MINUTES = 60;

export const ChartSpan = z.enum(['30m', '3h', '24h']);
export type ChartSpan = z.infer<typeof ChartSpan>;

type Charted = Pick<IncidentRecord, 'openedAt' | 'lastSeenAt' | 'closing'>;

const SPAN_MINUTES: Readonly<Record<ChartSpan, number>> = { '30m': 30, '3h': 180, '24h': 1_440 };

/** The time that a chart shows: [from, to). */
export interface ChartRange {
  readonly from: Date;
  readonly to: Date;
}

/** The last part of a time; all of it if it is shorter, or nothing was chosen. */
export function lastOf(whole: ChartRange, span: ChartSpan | undefined): ChartRange {
  return span === undefined || !spansWithin(whole).includes(span)
    ? whole
    : { from: subMinutes(whole.to, SPAN_MINUTES[span]), to: whole.to };
}

/** What can be chosen, shortest first: the spans that show less than all. */
export function spansWithin({ from, to }: ChartRange): ChartSpan[] {
  return ChartSpan.options.filter((span) => SPAN_MINUTES[span] * MINUTE_MS < to.getTime() - from.getTime());
}

/** The time of an incident from shortly before it opened until now, or shortly after its end. */
export function chartRange(incident: Charted, marks: readonly ChartMark[], now: Date): ChartRange {
  const { openedAt, lastSeenAt, closing } = incident;
  const early = marks
    .map(({ at }) => at.getTime())
    .filter((at) => at < openedAt.getTime() && at >= openedAt.getTime() - BEFORE_MINUTES * MINUTE_MS);
  const end = closing === null ? now.getTime() : Math.max(closing.at.getTime(), lastSeenAt.getTime());
  const to = Math.ceil(Math.min(now.getTime(), end + MARGIN_MINUTES * MINUTE_MS) / MINUTE_MS) * MINUTE_MS;
  const start = Math.min(openedAt.getTime(), ...early) - MARGIN_MINUTES * MINUTE_MS;
  const from = Math.floor(Math.min(start, to - LEAST_MINUTES * MINUTE_MS) / MINUTE_MS) * MINUTE_MS;
  return { from: new Date(from), to: new Date(to) };
}

/** @param failures of that range, in any order */
export function chartOf(
  { from, to }: ChartRange,
  failures: readonly MinuteOfFailures[],
  marks: readonly ChartMark[],
): FailuresChart {
  const minutes = Math.max(1, Math.round((to.getTime() - from.getTime()) / MINUTE_MS));
  const minutesPerBar = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1_440].find((each) => minutes / each <= MAX_BARS);
  const perBar = minutesPerBar ?? Math.ceil(minutes / MAX_BARS);
  const counts = Array.from({ length: Math.ceil(minutes / perBar) }, () => 0);
  for (const { at, count } of failures) {
    const bar = Math.floor((at - from.getTime()) / (perBar * MINUTE_MS));
    const before = counts[bar];
    if (before !== undefined) {
      counts[bar] = before + count;
    }
  }
  return { from, minutesPerBar: perBar, counts, marks: marks.filter(({ at }) => at >= from && at < to) };
}

const MARKED = { acknowledged: 'acknowledged', closed: 'closed', reopened: 'opened again' } as const;

/**
 * What people and deployments did.
 *
 * @param observed the last deployments of all services
 */
export function marksOf(
  { openedAt, timeline, changes, services }: Pick<IncidentRecord, 'openedAt' | 'timeline' | 'changes' | 'services'>,
  observed: readonly ObservedChange[],
): ChartMark[] {
  const found = changes.map(({ at, service, version }) => ({ at: new Date(at), service, version: version ?? '' }));
  const others = observed
    .filter(
      ({ service, subject }) =>
        services.includes(service) && !found.some((each) => each.service === service && each.version === subject),
    )
    .map(({ at, service, subject }) => ({ at: new Date(at), service, version: subject }));
  return [
    { at: openedAt, kind: 'opened', label: 'opened' },
    ...[...found, ...others].map(({ at, service, version }) => ({
      at,
      kind: 'deploy',
      label: `deploy ${service} ${version}`.trim(),
    })),
    ...timeline.flatMap(({ at, event, by, byId }) => {
      if (!isMarked(event)) {
        return [];
      }
      const who = by === null ? '' : ` by ${nameOf({ by, byId })}`;
      return [{ at, kind: event, label: `${MARKED[event]}${who}` }];
    }),
  ];
}

function isMarked(event: string): event is keyof typeof MARKED {
  return Object.hasOwn(MARKED, event);
}
