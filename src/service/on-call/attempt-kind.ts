import type { WayKind } from '../../contract/waking.ts';
import { carryOut, type Decision } from '../../effects/carry-out.ts';
import { type End, type KeptEffect, together } from '../../effects/kept-effects.ts';
import type { NewEffect } from '../../effects/new-effects.ts';
import { createKind, type EffectKind } from '../../effects/performer.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import { secondsToMilliseconds } from '../../runtime/dates.ts';
import { hearEffect, retryEffect, unreportedEffect } from '../store/pages/page-effects.ts';
import type { PageStore, StoredAttempt } from '../store/pages/page-store.ts';
import { type AttemptFailure, acceptAttempts, settleAttempt } from '../store/pages/settle-attempts.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { sentOf } from './sent-of.ts';
import { endFailed, endReported } from './tell-failure.ts';
import { LOOK_AGAIN_MS, waitsForOther } from './waking/bundle.ts';
import { hostOf, PLACES_OF_HOST } from './waking/host.ts';
import type { WakeMessage } from './waking/message.ts';
import { type Way, WayError } from './ways/way.ts';
import type { WriteMessage } from './write-message.ts';

/** A provider that is away is tried again until somebody has the incident. */
const RETRY = { firstMs: secondsToMilliseconds(2), longestMs: secondsToMilliseconds(60) };
const MOST_RETRIES = 200;
/** After this time, what a provider does not list has not arrived there. */
const LISTED_WITHIN_MS = secondsToMilliseconds(30);
/** Of calls whose end is not known, where nothing can be found. */
const MOST_DOUBTS = 2;

const UNREPORTED = 'no bot reported in time';
const UNKNOWN = 'it is not known whether it arrived';

/** States from which an attempt may be made: `failed` is tried again, and `sending` was left by a process that died. */
const OPEN: readonly StoredAttempt['state'][] = ['planned', 'sending', 'failed'];

interface Call {
  readonly attempt: StoredAttempt;
  readonly address: object;
  readonly message: WakeMessage;
  /** Pages that the message lists. */
  readonly listed: readonly string[];
}

export interface AttemptDeps {
  readonly pages: PageStore;
  readonly write: WriteMessage;
}

type PageEnd = End<ServiceTables>;

/** Wakes a person by one way, or tells a channel. */
export function createAttemptKind(kind: WayKind, way: Way, deps: AttemptDeps): EffectKind<ServiceTables> {
  const { pages, write } = deps;

  async function look(effect: KeptEffect): Promise<Decision<Call, PageEnd>> {
    const attempt = await pages.readAttempt(effect.subject);
    const page = attempt?.pageId === null || attempt === null ? null : await pages.readPage(attempt.pageId);
    if (attempt === null || page === null || !OPEN.includes(attempt.state)) {
      return { over: { outcome: { state: attempt?.state ?? 'gone' } } };
    }
    if (!page.isLive) {
      return { over: attempt.state === 'sending' ? unclear(attempt) : { outcome: { state: 'void' } } };
    }
    const address = way.address.safeParse(attempt.address);
    if (!address.success || attempt.unusableBecause !== null) {
      return { over: failed(attempt, { detail: attempt.unusableBecause ?? 'the way was removed', isFinal: true }) };
    }
    const earlier = attempt.doubts === 0 ? null : await resolve(effect, attempt, address.data);
    if (earlier !== null) {
      return { over: earlier };
    }
    const { personId } = attempt;
    const ringing = personId === null || page.incident === null ? [] : await pages.listRinging(personId, page.id);
    if (page.incident !== null && attempt.state === 'planned' && waitsForOther(page.incident.severity, ringing)) {
      return { over: { againInMs: LOOK_AGAIN_MS } };
    }
    const listed = [page, ...(await pages.readPages(ringing.map(({ pageId }) => pageId)))];
    const message = await write.ask(attempt, page, listed);
    return { seen: { attempt, address: address.data, message, listed: listed.map(({ id }) => id) } };
  }

  /** What an earlier call did whose end is not known. @returns null: the message is to be sent */
  async function resolve(effect: KeptEffect, attempt: StoredAttempt, address: object): Promise<PageEnd | null> {
    const { lostAnswer } = way;
    switch (lostAnswer.by) {
      case 'repeating':
        return null;
      case 'at most two calls':
        return attempt.doubts < MOST_DOUBTS ? null : failed(attempt, { detail: UNKNOWN, isFinal: true });
      case 'finding': {
        if (attempt.state === 'sending') {
          // The process died. Other ways do not wait until it is found out.
          return failed(attempt, { detail: UNKNOWN }, again(effect));
        }
        const reference = await lostAnswer.find(await sentOf(attempt, address, write));
        if (reference !== null) {
          return accepted(attempt, reference);
        }
        return attempt.beganMsAgo < LISTED_WITHIN_MS ? { againInMs: LOOK_AGAIN_MS } : null;
      }
    }
  }

  function accepted(attempt: StoredAttempt, reference: string | null): PageEnd {
    return {
      outcome: { state: 'accepted' },
      follow:
        way.hear === undefined || reference === null ? [] : [hearEffect({ ...attempt, host: hostOf(attempt.address) })],
      also: together(acceptAttempts, { id: attempt.id, reference }),
    };
  }

  /** @returns nothing: it was tried often enough */
  function again(effect: KeptEffect, pauseMs = 0): NewEffect[] {
    const retry = effect.detail === '' ? 1 : Number(effect.detail) + 1;
    const dueInMs = Math.max(pauseMs, backoffMs(RETRY, retry));
    return retry > MOST_RETRIES ? [] : [retryEffect(effect, retry, dueInMs)];
  }

  return {
    target: `waking:${kind}`,
    pace: way.pace ?? PLACES_OF_HOST,
    carryOut: (effect, begin) =>
      carryOut<Call, PageEnd, PageEnd>({
        look: () => look(effect),
        begin: async ({ attempt, listed }) => (await begin()) && pages.beginAttempt(attempt.id, listed),
        async call({ attempt, address, message }) {
          const reference = await way.call(address, message);
          const { reportedWithinMs } = way;
          return reportedWithinMs === undefined
            ? accepted(attempt, reference)
            : { outcome: { state: 'sending' }, follow: [unreportedEffect(attempt, reportedWithinMs)] };
        },
        failureOf: (error) =>
          error instanceof WayError && error.failure !== 'unavailable' ? 'nothing done' : 'unknown',
        lookAgain: async ({ attempt }, error) =>
          error instanceof WayError ? failed(attempt, { detail: error.message }, again(effect)) : null,
        settle: async (_call, end) => end,
      }),

    endOf(effect, error) {
      if (!(error instanceof WayError)) {
        return null;
      }
      const { failure, message: detail, retryAfterMs } = error;
      if (failure === 'unavailable') {
        return { againInMs: backoffMs(RETRY, effect.failures + 1), error: detail }; // it could not be looked for
      }
      const follow = failure === 'later' ? again(effect, retryAfterMs) : [];
      const attempt = { id: effect.subject };
      return failed(
        attempt,
        { detail, isGone: failure === 'gone', isCertain: true, isFinal: follow.length === 0 },
        follow,
      );
    },
  };
}

function failed(
  { id }: Pick<StoredAttempt, 'id'>,
  failure: AttemptFailure & { readonly isFinal?: boolean },
  follow: NewEffect[] = [],
): PageEnd {
  return {
    outcome: { state: 'failed', error: failure.detail },
    follow,
    also: (tx) => endFailed(tx, id, failure),
  };
}

/** Without a report in time, the next way begins at once: nobody waits for a bot that is away. */
export function createUnreportedKind(pages: PageStore): EffectKind<ServiceTables> {
  return createKind<ServiceTables, never>({
    target: 'pages',
    effectOf: ({ subject }) => ({
      async look() {
        const attempt = await pages.readAttempt(subject);
        return {
          over: attempt?.state === 'sending' ? lost(attempt) : { outcome: { state: attempt?.state ?? 'gone' } },
        };
      },
      call: async (never) => never,
      failureOf: () => null,
    }),
    endOf: () => null,
  });
}

/** A report may arrive at the same moment, and the page may end. */
function lost({ id, pageId }: StoredAttempt): PageEnd {
  const why = pageId === null ? `${UNREPORTED}. Start one, and send another test` : UNREPORTED;
  return { outcome: { state: 'lost' }, also: (tx) => endReported(tx, id, 'failed', why) };
}

/** A process died, or gave up, while the call may have arrived. What is taken back needs it settled. */
function unclear({ id }: StoredAttempt): PageEnd {
  return {
    outcome: { state: 'accepted' },
    also: async (tx) => {
      await settleAttempt(tx, id, 'accepted', UNKNOWN);
    },
  };
}
