/** Slack takes about one message a second in a channel, and short bursts. */
const BURST = 5;
const REFILL_MS = 1_000;

/** How fast one channel may be written to, and whether it may at all. What Slack itself limits is in the store. */
export interface Pace {
  /**
   * 0: now.
   *
   * @param spare how many more messages must have room after this one, for whoever is more urgent
   */
  waitMs(now: Date, spare?: number): number;
  spend(now: Date): void;
  pauseUntil(moment: Date): void;
}

export function createPace(): Pace {
  let tokens = BURST;
  let countedAtMs: number | null = null;
  let pausedUntilMs = 0;

  function refill(nowMs: number): void {
    tokens = Math.min(BURST, tokens + Math.max(0, nowMs - (countedAtMs ?? nowMs)) / REFILL_MS);
    countedAtMs = nowMs;
  }

  return {
    waitMs(now, spare = 0) {
      refill(now.getTime());
      const forToken = Math.max(0, Math.ceil((1 + spare - tokens) * REFILL_MS));
      return Math.max(forToken, pausedUntilMs - now.getTime(), 0);
    },
    spend(now) {
      refill(now.getTime());
      tokens -= 1;
    },
    pauseUntil(moment) {
      pausedUntilMs = Math.max(pausedUntilMs, moment.getTime());
    },
  };
}
