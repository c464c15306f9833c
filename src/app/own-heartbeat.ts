import type { Logger } from 'pino';
import { request } from 'undici';
import type { Clock } from '../runtime/clock.ts';
import { minutesToMilliseconds, secondsToMilliseconds } from '../runtime/dates.ts';
import { createLoop, type Loop } from '../runtime/loop.ts';
import { withTimeout } from '../runtime/timeout.ts';

const PERIOD_MS = minutesToMilliseconds(1);
const TIMEOUT_MS = secondsToMilliseconds(10);

/**
 * Calls an address every minute while all parts of this process are healthy, so that a monitor elsewhere notices when
 * Tocsin dies or cannot deliver. The address is a secret: it is not logged.
 *
 * @param findProblem what is wrong, for the log; null: nothing
 */
export function createOwnHeartbeat(deps: {
  readonly url: string;
  readonly findProblem: () => Promise<string | null>;
  readonly logger: Logger;
  readonly clock: Clock;
}): Loop {
  const { url, findProblem, logger, clock } = deps;
  let wasWithheld = false;
  return createLoop({
    name: 'own heartbeat',
    async step() {
      const problem = await findProblem();
      if (problem !== null) {
        if (!wasWithheld) {
          logger.warn({ problem }, 'the heartbeat is withheld');
        }
        wasWithheld = true;
        return PERIOD_MS;
      }
      wasWithheld = false;
      await withTimeout(TIMEOUT_MS, (signal) => call(url, signal));
      return PERIOD_MS;
    },
    retry: { firstMs: secondsToMilliseconds(5), longestMs: PERIOD_MS },
    logger,
    clock,
  });
}

async function call(url: string, signal: AbortSignal): Promise<void> {
  const { statusCode, body } = await request(url, { headers: { 'user-agent': 'Tocsin' }, signal });
  await body.dump();
  if (statusCode >= 400) {
    throw new Error(`the monitor answered ${statusCode}`);
  }
}
