import { createRealClock, sleep } from '../runtime/clock.ts';

export interface Shutdown {
  /** Resolves at the first SIGTERM or SIGINT. */
  readonly asked: Promise<void>;
  /** Aborted then. */
  readonly stopping: AbortSignal;
  /** Waits so that load balancers notice that `/readyz` fails. Ends at once on SIGINT, which a person at a terminal sends. */
  readonly drain: (ms: number) => Promise<void>;
}

/** Repeated signals change nothing: npm forwards the signal that the terminal has already sent to all processes. */
export function listenForShutdown(): Shutdown {
  const asked = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const interrupted = new AbortController();
  const stop = () => {
    stopping.abort(new Error('asked to stop'));
    asked.resolve();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', () => {
    interrupted.abort();
    stop();
  });
  return {
    asked: asked.promise,
    stopping: stopping.signal,
    drain: (ms) => sleep(createRealClock(), ms, interrupted.signal),
  };
}
