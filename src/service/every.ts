import type { Logger } from 'pino';

/**
 * Runs `work` now and then again and again, never twice at once, without keeping the process alive. Of faults in a row
 * the first is logged.
 *
 * @param faultMessage what is logged then
 * @returns stops it, once what runs has ended
 */
export function startEvery(
  periodMs: number,
  logger: Logger,
  faultMessage: string,
  work: () => Promise<void>,
): AsyncDisposable {
  let isFailing = false;
  let running: Promise<void> | null = run();

  async function run(): Promise<void> {
    try {
      await work();
      isFailing = false;
    } catch (err) {
      if (!isFailing) {
        logger.warn({ err }, faultMessage);
      }
      isFailing = true;
    }
    running = null;
  }

  const timer = setInterval(() => {
    running ??= run();
  }, periodMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
    },
  };
}
