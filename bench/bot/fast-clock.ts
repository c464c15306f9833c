/** A time that runs from a moment on so many times as fast as the machine's; the same in every process. */
export interface FastTime {
  readonly sinceMs: number;
  readonly speed: number;
}

export function createFastClock({ sinceMs, speed }: FastTime): () => Date {
  return () => new Date(sinceMs + (Date.now() - sinceMs) * speed);
}
