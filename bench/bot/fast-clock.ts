/** A clock that runs `speed` times as fast as the machine's since a given time; the same in every process. */
export interface FastTime {
  readonly sinceMs: number;
  readonly speed: number;
}

export function createFastClock({ sinceMs, speed }: FastTime): () => Date {
  return () => new Date(sinceMs + (Date.now() - sinceMs) * speed);
}
