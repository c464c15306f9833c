import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop, NEVER_MS } from '../../runtime/loop.ts';
import type { Audit } from '../messages/audit.ts';
import type { HomeStore } from '../rooms/home/homes.ts';
import type { OpenViewStore } from '../rooms/open-views/open-views.ts';
import type { SlackIdentity } from '../slack/connection.ts';
import { BotStartError } from '../slack/start-error.ts';
import type { Retention } from './retention.ts';
import type { SetUp } from './set-up.ts';

const AUDIT_MS = 30_000;
const RETRY_MS = 5_000;
/** After a refusal, which only the operator can fix. */
const REFUSED_RETRY_MS = 60_000;
const PRUNE_MS = 60 * 60_000;
/** Between two batches. */
const BATCH_PAUSE_MS = 1_000;

export interface Upkeep extends Loop {
  /** Signs in and finds the channel; what fails is tried again by the loop. @throws BotStartError, see `SetUp` */
  signIn(): Promise<boolean>;
}

/** Background chores: finish the set-up, audit the channels, delete what is not needed any more. */
export function createUpkeep(deps: {
  setUp: SetUp;
  connect: () => Promise<SlackIdentity>;
  audit: Audit;
  store: {
    readonly homes: Pick<HomeStore, 'forgetOld'>;
    readonly openViews: Pick<OpenViewStore, 'forgetOld'>;
    readonly retention: Retention;
  };
  /** See `Retention`. */
  retentionDays: number | null;
  /** Starts what needs to know the workspace. Called again if it fails. */
  onSignedIn: (identity: SlackIdentity) => Promise<void>;
  logger: Logger;
  clock: Clock;
}): Upkeep {
  const { setUp, audit, store, clock } = deps;
  const setUpPause = createPause(clock, () => loop.kick());
  const prunePause = createPause(clock, () => loop.kick());
  let hasBegun = false;
  let isSetUp = false;

  async function step(stopping: AbortSignal): Promise<number> {
    if (!isSetUp && setUpPause.isOver()) {
      const retryMs = await finishSetUp();
      const identity = setUp.identity();
      if (identity !== null && !hasBegun) {
        await deps.onSignedIn(identity);
        hasBegun = true;
      }
      isSetUp = retryMs === NEVER_MS;
      setUpPause.begin(retryMs);
    }
    if (setUp.identity() !== null) {
      await audit.run(stopping);
      await store.homes.forgetOld();
      await store.openViews.forgetOld();
      if (prunePause.isOver()) {
        prunePause.begin((await store.retention.prune(deps.retentionDays)) ? BATCH_PAUSE_MS : PRUNE_MS);
      }
    }
    return AUDIT_MS;
  }

  const signIn = async () => (await setUp.signIn(deps.connect)) && (await setUp.findChannel());

  /** @returns milliseconds until the next attempt; `NEVER_MS`: the set-up is complete */
  async function finishSetUp(): Promise<number> {
    try {
      return (await signIn()) ? NEVER_MS : Math.max(RETRY_MS, setUp.limitMs());
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
    signIn,
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
