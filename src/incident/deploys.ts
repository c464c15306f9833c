import type { Change } from '../contract/resources.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * "deployed 3 min before the first failure": the one way to tell when something was deployed. Counted from the opening
 * if the service does not report the first failure.
 */
export function deployedWords({ at, failed_at: failedAt }: Pick<Change, 'at' | 'failed_at'>, openedAt: string): string {
  return failedAt === undefined
    ? `${deployedBy(Date.parse(openedAt) - Date.parse(at))} it opened`
    : `${deployedBy(Date.parse(failedAt) - Date.parse(at))} the first failure`;
}

/** "deployed just after". @param beforeMs how long before; negative: after */
export function deployedBy(beforeMs: number): string {
  return `deployed ${distance(Math.abs(beforeMs))} ${beforeMs < 0 ? 'after' : 'before'}`;
}

function distance(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes === 0) {
    return 'just';
  }
  return minutes < 60 ? `${minutes} min` : `${Math.round(ms / HOUR_MS)} h`;
}
