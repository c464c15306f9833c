import type { WayKind } from '../../contract/waking.ts';
import { createKind, type EffectKind } from '../../effects/performer.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import { secondsToMilliseconds } from '../../runtime/dates.ts';
import type { PageStore, StoredAttempt } from '../store/pages/page-store.ts';
import { settleAttempt } from '../store/pages/settle-attempts.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { sentOf } from './sent-of.ts';
import { PLACES_OF_HOST } from './waking/host.ts';
import type { WakeMessage } from './waking/message.ts';
import { type Sent, type Way, WayError } from './ways/way.ts';
import type { WriteMessage } from './write-message.ts';

const LOOK_AGAIN_MS = secondsToMilliseconds(1);
const RETRY = { firstMs: secondsToMilliseconds(2), longestMs: secondsToMilliseconds(60) };
/** After that, what was sent is old enough to be read as such. */
const MOST_FAILURES = 10;

interface TakeBack {
  readonly attempt: StoredAttempt;
  readonly sent: Sent<object>;
  readonly message: WakeMessage;
}

/** Tells by the same way that somebody has the incident, or that it is over. */
export function createTakeBackKind(
  kind: WayKind,
  way: Way,
  deps: { readonly pages: PageStore; readonly write: WriteMessage },
): EffectKind<ServiceTables> {
  const { pages, write } = deps;
  return createKind<ServiceTables, TakeBack>({
    target: `waking:${kind}`,
    pace: way.pace ?? PLACES_OF_HOST,

    effectOf: ({ subject }) => ({
      async look() {
        const attempt = await pages.readAttempt(subject);
        const page = attempt?.pageId === null || attempt === null ? null : await pages.readPage(attempt.pageId);
        const address = way.address.safeParse(attempt?.address);
        if (attempt?.state === 'sending') {
          return { over: { againInMs: LOOK_AGAIN_MS } }; // its end is not known yet
        }
        const mayHaveArrived = attempt?.state === 'accepted' || (attempt?.state === 'failed' && attempt.doubts > 0);
        if (page === null || attempt === null || !mayHaveArrived || !address.success || way.takeBack === undefined) {
          return { over: { outcome: { state: attempt?.state ?? 'gone' } } };
        }
        const sent = await sentOf(attempt, address.data, write);
        const message = await write.takeBack(attempt, page, await pages.isAskedForOthers(attempt.id));
        return { seen: { attempt, sent, message } };
      },

      async call({ attempt, sent, message }) {
        await way.takeBack?.(sent, message);
        return {
          outcome: { state: 'retracted' },
          also: async (tx) => {
            await settleAttempt(tx, attempt.id, 'retracted', null);
          },
        };
      },

      failureOf: (error) => (error instanceof WayError ? 'nothing done' : 'unknown'),
    }),

    endOf({ failures }, error) {
      const isFinal =
        error instanceof WayError &&
        (error.failure === 'gone' || error.failure === 'refused' || failures >= MOST_FAILURES);
      return isFinal
        ? { outcome: { state: 'accepted', error: error.message } }
        : { againInMs: backoffMs(RETRY, failures + 1), error: String(error) };
    },
  });
}
