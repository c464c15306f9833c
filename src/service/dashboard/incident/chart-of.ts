import type { ChartMark, FailuresChart } from '../../charts/failures-chart.tsx';
import type { Incident } from '../../core/incident.ts';

const MINUTE_MS = 60_000;
/** Shown before the opening and after the end, so that the change is seen. */
const MARGIN_MINUTES = 5;
const LEAST_MINUTES = 20;
const MAX_BARS = 90;
/** Deployments are shown if they were at most this long before the opening. */
const BEFORE_MINUTES = 60;

/** Failures in one minute. */
export interface MinuteOfFailures {
  /** Start of the minute, in milliseconds since 1970. */
  readonly at: number;
  readonly count: number;
}

type Charted = Pick<Incident, 'openedAt' | 'lastSeenAt' | 'acknowledgement' | 'closing'>;

/** The time that the chart of an incident shows: [from, to). */
export function chartRange(incident: Charted, marks: readonly ChartMark[], now: Date): { from: Date; to: Date } {
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
  { from, to }: { readonly from: Date; readonly to: Date },
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
  return { from, minutesPerBar: perBar, counts, marks };
}

/** What people and deployments did. */
export function marksOf({ openedAt, acknowledgement, closing }: Charted): ChartMark[] {
  return [
    { at: openedAt, kind: 'opened', label: 'opened' },
    ...(acknowledgement === null
      ? []
      : [{ at: acknowledgement.at, kind: 'acknowledged', label: `acknowledged by ${acknowledgement.by}` }]),
    ...(closing === null
      ? []
      : [{ at: closing.at, kind: 'closed', label: closing.by === null ? 'closed' : `closed by ${closing.by}` }]),
  ];
}
