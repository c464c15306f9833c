import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop, NEVER_MS } from '../../runtime/loop.ts';
import { BotStartError } from '../domain/errors.ts';
import type { Audit } from '../messages/audit.ts';
import type { CardLinks } from './card-links.ts';
import type { Registration } from './registration.ts';
import type { SetUp } from './set-up.ts';

const AUDIT_MS = 30_000;
const RETRY_MS = 5_000;
/** After a refusal, which only the operator can fix. */
const REFUSED_RETRY_MS = 60_000;
const PRUNE_MS = 60 * 60_000;
/** Between two batches. */
const BATCH_PAUSE_MS = 1_000;

/** Background chores: finish the set-up, register with the service, audit the channels, send the service
 * where the cards are, delete what is not needed any more. */
export function createUpkeep(deps: {
  setUp: SetUp;
  registration: Registration;
  audit: Audit;
  cardLinks: CardLinks;
  /** Forgets what nobody looks at any more. */
  forgetOld: () => Promise<void>;
  /** Deletes a batch of what is past its retention. @returns whether there is more */
  prune: () => Promise<boolean>;
  /** Starts what needs to know the workspace. Called repeatedly once the bot has signed in. */
  onSignedIn: () => void;
  logger: Logger;
  clock: Clock;
}): Loop {
  const { setUp, registration, audit, cardLinks, clock } = deps;
  const setUpPause = createPause(clock, () => loop.kick());
  const registrationPause = createPause(clock, () => loop.kick());
  const prunePause = createPause(clock, () => loop.kick());
  let isSetUp = false;

  async function step(stopping: AbortSignal): Promise<number> {
    if (!isSetUp && setUpPause.isOver()) {
      const retryMs = await finishSetUp();
      isSetUp = retryMs === NEVER_MS;
      setUpPause.begin(retryMs);
      if (setUp.identity() !== null) {
        deps.onSignedIn();
      }
    }
    const identity = setUp.identity();
    if (identity !== null) {
      if (registrationPause.isOver()) {
        registrationPause.begin(await registration.run(identity));
      }
      await audit.run(stopping);
      await cardLinks.run(stopping);
      await deps.forgetOld();
      if (prunePause.isOver()) {
        prunePause.begin((await deps.prune()) ? BATCH_PAUSE_MS : PRUNE_MS);
      }
    }
    return AUDIT_MS;
  }

  /** @returns milliseconds until the next attempt; `NEVER_MS`: the set-up is complete */
  async function finishSetUp(): Promise<number> {
    try {
      const isDone = (await setUp.signIn()) && (await setUp.findChannel());
      return isDone ? NEVER_MS : Math.max(RETRY_MS, setUp.limitMs());
    } catch (error) {
      if (error instanceof BotStartError) {
        return REFUSED_RETRY_MS; // reported by the set-up
      }
      throw error;
    }
  }

  const loop = createLoop({
    name: 'upkeep',
    step,
    retry: { firstMs: RETRY_MS, longestMs: REFUSED_RETRY_MS },
    logger: deps.logger,
    clock,
  });
  return {
    ...loop,
    start() {
      if (setUp.limitMs() > 0) {
        setUpPause.begin(setUp.limitMs()); // the bot has tried to sign in before
      }
      loop.start();
    },
  };
}

/** @param onOver called at the end of each pause */
function createPause(clock: Clock, onOver: () => void) {
  let isOver = true;
  return {
    /** True before the first pause. */
    isOver: () => isOver,
    begin(ms: number): void {
      isOver = false;
      clock.after(ms, () => {
        isOver = true;
        onOver();
      });
    },
  };
}
