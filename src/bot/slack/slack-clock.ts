import { createRemoteClock, type RemoteClock } from '../../runtime/remote-clock.ts';

/** Slack's clock, measured from the `Date` header of its responses to about a second. */
export interface SlackClock extends Omit<RemoteClock, 'observe'> {
  /** @param date the header; null or nonsense is ignored */
  observe(date: string | null, sentAt: Date, receivedAt: Date): void;
}

export function createSlackClock(now: () => Date): SlackClock {
  const clock = createRemoteClock(now);
  return {
    ...clock,
    // The header is truncated to the second.
    observe: (date, sentAt, receivedAt) => clock.observe(new Date(Date.parse(date ?? '') + 500), sentAt, receivedAt),
  };
}

/** Signatures and the search for lost messages depend on the clock; signatures tolerate five minutes. */
const MAX_SKEW_MS = 5_000;

/** @returns the problem and what to do; null: none, or not measured yet */
export function describeSkew(skewMs: number | null): string | null {
  if (skewMs === null || Math.abs(skewMs) <= MAX_SKEW_MS) {
    return null;
  }
  const side = skewMs > 0 ? 'behind' : 'ahead of';
  return `The clock of this machine is ${Math.round(Math.abs(skewMs) / 1_000)} s ${side} Slack’s: check its time synchronization.`;
}
