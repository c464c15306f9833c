/** Slack's time, measured by the `Date` header of its answers to about a second. */
export interface SlackClock {
  /** @param date the header; null or nonsense is ignored */
  observe(date: string | null, sentAt: Date, receivedAt: Date): void;
  /** By how much our clock is behind Slack's, in milliseconds; null: not measured yet. */
  skewMs(): number | null;
  now(): Date;
}

export function createSlackClock(now: () => Date): SlackClock {
  let skewMs: number | null = null;
  return {
    observe(date, sentAt, receivedAt) {
      const slackMs = Date.parse(date ?? '');
      if (!Number.isNaN(slackMs)) {
        // The header is cut to the second; the answer was made between sending and receiving.
        skewMs = slackMs + 500 - (sentAt.getTime() + receivedAt.getTime()) / 2;
      }
    },
    skewMs: () => skewMs,
    now: () => new Date(now().getTime() + (skewMs ?? 0)),
  };
}

/** Requests signed five minutes off are refused, and look-ups of messages are timed by the clock. */
const MAX_SKEW_MS = 5_000;

/** @returns what is wrong and what to do; null: nothing, or not measured yet */
export function describeSkew(skewMs: number | null): string | null {
  if (skewMs === null || Math.abs(skewMs) <= MAX_SKEW_MS) {
    return null;
  }
  const side = skewMs > 0 ? 'behind' : 'ahead of';
  return `The clock of this machine is ${Math.round(Math.abs(skewMs) / 1_000)} s ${side} Slack’s: check its time synchronization.`;
}
