/** The time of another machine, measured by its answers. */
export interface RemoteClock {
  /** @param remote the other machine's time at some moment between `sentAt` and `receivedAt` */
  observe(remote: Date, sentAt: Date, receivedAt: Date): void;
  /** By how much our clock is behind, in milliseconds; null: not measured yet. */
  skewMs(): number | null;
  /** The other machine's time; ours until it was measured. */
  now(): Date;
}

export function createRemoteClock(now: () => Date): RemoteClock {
  let skewMs: number | null = null;
  return {
    observe(remote, sentAt, receivedAt) {
      if (!Number.isNaN(remote.getTime())) {
        skewMs = remote.getTime() - (sentAt.getTime() + receivedAt.getTime()) / 2;
      }
    },
    skewMs: () => skewMs,
    now: () => new Date(now().getTime() + (skewMs ?? 0)),
  };
}
