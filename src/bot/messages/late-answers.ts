import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import { classifySlackFailure } from '../slack/errors.ts';
import type { People } from '../slack/people.ts';
import type { PendingActionStore, UntoldAnswer } from '../store/actions.ts';
import { answersInOne } from '../views/answers.ts';

const IDLE_MS = 1_000;
const RETRY_MS = 5_000;
/** An answer has three blocks, and one more for each 3,000 characters that its note is longer; a message has 50. */
const MOST_IN_ONE = 15;
/** Nobody is there any more to be told. */
const GONE = new Set(['channel_not_found', 'user_disabled', 'user_not_found', 'user_not_visible']);

/**
 * Tells people by direct message how ended what they asked for while nobody could tell them at once. A limit on one
 * person's messages holds up nobody else.
 */
export function createLateAnswers(deps: {
  people: Pick<People, 'tellLater'>;
  store: Pick<PendingActionStore, 'claimUntold' | 'told' | 'tellAgain'>;
  logger: Logger;
  clock: Clock;
}): Loop {
  const { people, store, logger, clock } = deps;

  async function step(stopping: AbortSignal): Promise<number> {
    while (!stopping.aborted) {
      const answers = await store.claimUntold(clock.now(), MOST_IN_ONE);
      const [first] = answers;
      if (first === undefined) {
        break;
      }
      await tell(first.slackUserId, answers);
    }
    return IDLE_MS;
  }

  async function tell(slackUserId: string, answers: readonly UntoldAnswer[]): Promise<void> {
    const { message, told } = answersInOne(answers.map(({ answer }) => answer));
    const ids = answers.map(({ id }) => id);
    try {
      await people.tellLater(slackUserId, message);
    } catch (error) {
      const failure = classifySlackFailure(error);
      logger.warn({ slackUserId, reason: failure.error }, 'somebody could not be told how it ended');
      if (GONE.has(failure.error)) {
        await store.told(ids);
      } else if (failure.kind === 'rate-limited') {
        await store.tellAgain(ids, new Date(clock.now().getTime() + failure.retryAfterMs));
      }
      return; // else it is tried again when the lease is over
    }
    await store.told(ids.slice(0, told));
    if (told < ids.length) {
      await store.tellAgain(ids.slice(told), clock.now());
    }
  }

  return createLoop({ name: 'late answers', step, retry: { firstMs: RETRY_MS, longestMs: 60_000 }, logger, clock });
}
