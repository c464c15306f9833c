/**
 * The time of another machine, measured by its answers. It changes only when an answer contradicts it, so that slow
 * answers do not make it jump.
 */
export interface RemoteClock {
  /** @param remote the other machine's time at some moment between `sentAt` and `receivedAt` */
  observe(remote: Date, sentAt: Date, receivedAt: Date): void;
  /** How far our clock is behind the other one, in milliseconds; null: not measured yet. */
  skewMs(): number | null;
  /** The other machine's time; ours until it was measured. */
  now(): Date;
}

export function createRemoteClock(now: () => Date): RemoteClock {
  let skewMs: number | null = null;
  return {
    observe(remote, sentAt, receivedAt) {
      const shortestMs = remote.getTime() - receivedAt.getTime();
      const longestMs = remote.getTime() - sentAt.getTime();
      if (Number.isNaN(remote.getTime()) || (skewMs !== null && shortestMs <= skewMs && skewMs <= longestMs)) {
        return;
      }
      skewMs = (shortestMs + longestMs) / 2;
    },
    skewMs: () => skewMs,
    now: () => new Date(now().getTime() + (skewMs ?? 0)),
  };
}
