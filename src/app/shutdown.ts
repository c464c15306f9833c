import { createRealClock, sleep } from '../runtime/clock.ts';

export interface Shutdown {
  /** Resolves at the first SIGTERM or SIGINT. */
  readonly asked: Promise<void>;
  /** Waits so that load balancers notice that `/readyz` fails. Ends at once on SIGINT, which a person at a terminal sends. */
  drain(ms: number): Promise<void>;
}

/** Repeated signals change nothing: npm forwards the signal that the terminal has already sent to all processes. */
export function listenForShutdown(): Shutdown {
  const asked = Promise.withResolvers<void>();
  const interrupted = new AbortController();
  process.on('SIGTERM', () => asked.resolve());
  process.on('SIGINT', () => {
    interrupted.abort();
    asked.resolve();
  });
  return { asked: asked.promise, drain: (ms) => sleep(createRealClock(), ms, interrupted.signal) };
}
