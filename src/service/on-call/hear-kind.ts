import type { WayKind } from '../../contract/waking.ts';
import type { End, KeptEffect } from '../../effects/kept-effects.ts';
import type { EffectKind } from '../../effects/performer.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import { hoursToMilliseconds, secondsToMilliseconds } from '../../runtime/dates.ts';
import { HEAR_EVERY_MS } from '../store/pages/page-effects.ts';
import type { PageStore } from '../store/pages/page-store.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import type { Answers } from './answer.ts';
import { sentOf } from './sent-of.ts';
import { endFailed } from './tell-failure.ts';
import { PLACES_OF_HOST } from './waking/host.ts';
import { type Way, WayError } from './ways/way.ts';
import type { WriteMessage } from './write-message.ts';

/** As long as a link is valid. */
const LONGEST_MS = hoursToMilliseconds(24);
/** The older a message is, the less often it is asked for: after an hour once a minute. */
const SHARE_OF_AGE = 1 / 60;
const RETRY = { firstMs: HEAR_EVERY_MS, longestMs: secondsToMilliseconds(60) };

/**
 * Asks the provider of a message again and again whether it was answered, as long as somebody should answer it. So nobody
 * has to reach this installation. It changes nothing at the provider.
 */
export function createHearKind(
  kind: WayKind,
  way: Way,
  deps: {
    readonly pages: Pick<PageStore, 'readAttempt' | 'readPage'>;
    readonly write: WriteMessage;
    readonly answers: Pick<Answers, 'answerAttempt'>;
  },
): EffectKind<ServiceTables> {
  const { pages, write, answers } = deps;

  async function hear({ subject }: KeptEffect): Promise<End<ServiceTables>> {
    const attempt = await pages.readAttempt(subject);
    const address = way.address.safeParse(attempt?.address);
    if (attempt?.state !== 'accepted' || !address.success || attempt.beganMsAgo > LONGEST_MS) {
      return { outcome: { heard: null } };
    }
    const page = attempt.pageId === null ? null : await pages.readPage(attempt.pageId);
    if (page?.isLive === false) {
      return { outcome: { heard: null } };
    }
    const heard = (await way.hear?.(await sentOf(attempt, address.data, write))) ?? 'nothing yet';
    if (heard === 'nothing yet') {
      return { againInMs: Math.max(HEAR_EVERY_MS, attempt.beganMsAgo * SHARE_OF_AGE) };
    }
    if (heard === 'answered') {
      await answers.answerAttempt(attempt.id);
      return { outcome: { heard } };
    }
    const failure = { detail: heard.message, isGone: heard.failure === 'gone', isFinal: true };
    return { outcome: { heard: heard.message }, also: (tx) => endFailed(tx, attempt.id, failure) };
  }

  return {
    target: `hearing:${kind}`,
    pace: way.pace ?? PLACES_OF_HOST,
    carryOut: hear,
    endOf: ({ failures }, error) =>
      error instanceof WayError
        ? { againInMs: Math.max(error.retryAfterMs, backoffMs(RETRY, failures + 1)), error: error.message }
        : null,
  };
}
