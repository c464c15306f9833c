import type { FailureRate } from '../../contract/resources.ts';
import type { Incident } from './incident.ts';

const MINUTE_MS = 60_000;
/** Minutes that are shown. */
const MINUTES = 30;

/** The last minutes before `at`, or before a closed incident was last seen. */
export function presentFailureRate(
  { failures, openedAt, closing, lastSeenAt }: Pick<Incident, 'failures' | 'openedAt' | 'closing' | 'lastSeenAt'>,
  at: Date,
): FailureRate {
  const first = startOfMinute(Math.min(openedAt.getTime(), failures[0]?.at ?? Number.POSITIVE_INFINITY));
  const last = Math.max(first, startOfMinute((closing === null ? at : lastSeenAt).getTime()));
  const from = Math.max(first, last - (MINUTES - 1) * MINUTE_MS);
  const counts = new Map(failures.map((minute) => [minute.at, minute.count]));
  const length = (last - from) / MINUTE_MS + 1;
  return {
    from: new Date(from).toISOString(),
    counts: Array.from({ length }, (_, index) => counts.get(from + index * MINUTE_MS) ?? 0),
  };
}

export function startOfMinute(at: number): number {
  return Math.floor(at / MINUTE_MS) * MINUTE_MS;
}
