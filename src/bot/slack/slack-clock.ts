/** Measures the difference to Slack's clock from the `Date` header of its responses, to about a second. */
export interface SlackClock {
  /** @param date the header; null or nonsense is ignored */
  observe(date: string | null, sentAt: Date, receivedAt: Date): void;
  /** How far this machine's clock is behind Slack's, in milliseconds; null: not measured yet. */
  skewMs(): number | null;
  now(): Date;
}

export function createSlackClock(now: () => Date): SlackClock {
  let skewMs: number | null = null;
  return {
    observe(date, sentAt, receivedAt) {
      const slackMs = Date.parse(date ?? '');
      if (!Number.isNaN(slackMs)) {
        // The header is truncated to the second; the response was created between sending and receiving.
        skewMs = slackMs + 500 - (sentAt.getTime() + receivedAt.getTime()) / 2;
      }
    },
    skewMs: () => skewMs,
    now: () => new Date(now().getTime() + (skewMs ?? 0)),
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
