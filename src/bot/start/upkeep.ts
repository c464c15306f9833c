import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop, NEVER_MS } from '../../runtime/loop.ts';
import { BotStartError } from '../domain/errors.ts';
import type { Audit } from '../messages/audit.ts';
import type { Registration } from './registration.ts';
import type { SetUp } from './set-up.ts';

const AUDIT_MS = 30_000;
const RETRY_MS = 5_000;
/** After a refusal, which only the operator can fix. */
const REFUSED_RETRY_MS = 60_000;

/** Background chores: finish the set-up, register with the service, audit the channels. */
export function createUpkeep(deps: {
  setUp: SetUp;
  registration: Registration;
  audit: Audit;
  /** Starts what needs to know the workspace. Called repeatedly once the bot has signed in. */
  onSignedIn: () => void;
  logger: Logger;
  clock: Clock;
}): Loop {
  const { setUp, registration, audit, clock } = deps;
  let registerAt = clock.now();
  let isSetUp = false;

  async function step(stopping: AbortSignal): Promise<number> {
    if (!isSetUp) {
      const retryMs = await finishSetUp();
      if (setUp.identity() === null) {
        return retryMs;
      }
      deps.onSignedIn();
      isSetUp = retryMs === NEVER_MS;
    }
    const identity = setUp.identity();
    if (identity !== null && clock.now() >= registerAt) {
      registerAt = new Date(clock.now().getTime() + (await registration.run(identity)));
    }
    await audit.run(stopping);
    const registerMs = registerAt.getTime() - clock.now().getTime();
    return Math.max(0, Math.min(isSetUp ? AUDIT_MS : RETRY_MS, registerMs));
  }

  /** @returns milliseconds until the next attempt; `NEVER_MS`: the set-up is complete */
  async function finishSetUp(): Promise<number> {
    try {
      return (await setUp.signIn()) && (await setUp.findChannel()) ? NEVER_MS : RETRY_MS;
    } catch (error) {
      if (error instanceof BotStartError) {
        return REFUSED_RETRY_MS; // reported by the set-up
      }
      throw error;
    }
  }

  return createLoop({
    name: 'upkeep',
    step,
    retry: { firstMs: RETRY_MS, longestMs: REFUSED_RETRY_MS },
    logger: deps.logger,
    clock,
  });
}
