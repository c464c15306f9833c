import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { KeptEffects } from '../../effects/kept-effects.ts';
import { createRenewal } from '../../effects/renewal.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import { settlesWithin } from '../../runtime/timeout.ts';
import { URGENCY } from '../incident/urgency.ts';
import type { SlackFailure } from '../slack/errors.ts';
import type { ChannelId, PlaceId } from '../slack/identifiers.ts';
import type { SlackApi } from '../slack/methods.ts';
import type { RespondTo } from '../slack/respond.ts';
import type { Tables } from '../tables.ts';
import type { AuditStore } from './audits.ts';
import { createFindAttempt } from './find-attempt.ts';
import { type MessageKind, type MessageKinds, readStored } from './kind.ts';
import { lateEdit } from './late-edits.ts';
import type { Message } from './message.ts';
import { deliver } from './message-effect.ts';
import type { MessageStore } from './message-store.ts';
import type { PauseScope, PauseStore } from './pauses.ts';
import type { DuePlace } from './places.ts';
import { REFUSED_PAUSE_MS, retryDelayMs, toRefusal } from './refusals.ts';
import { createSlackCalls, MessageCallError } from './slack-calls.ts';
import { editsOf, type MessageCall, type Pause, type Permit, permitOf, spend } from './throttle.ts';

const IDLE_MS = 2_000;
/** Maximum number of places with a send in progress. */
const AT_ONCE = 4;
/** The same for less urgent messages: one slot stays free for actions of people and new incidents. */
const AT_ONCE_IN_BACKGROUND = AT_ONCE - 1;
/** Places that are remembered. */
const MOST_KNOWN = 1_000;
/** Slack's errors for a channel that was archived or deleted. */
const GONE: ReadonlySet<string> = new Set(['channel_not_found', 'is_archived', 'is_inactive']);
/** A call that hangs must not hold up shutdown longer than this. */
const STOP_TIMEOUT_MS = 5_000;
const RETRY = { firstMs: 1_000, longestMs: 30_000 };
/** Upper bound for `Retry-After`. */
const LONGEST_LIMIT_MS = 60 * 60_000;
/** A call that fails this often in a row, in any channel, is paused in all channels. */
const BREAKER_FAILURES = 3;
const BREAKER = { firstMs: 1_000, longestMs: 30_000 };

export interface Reconciler extends Loop {
  /**
   * Like `kick`, where somebody waits for an edit in this place. It is claimed at once if nothing else is being sent and the
   * bucket of the place is known. Then other places are looked at once it is sent, or at the next kick.
   */
  hurry(placeId: PlaceId): Promise<void>;
}

type KnownPlace = Pick<DuePlace, 'placeId' | 'bucket' | 'pauses' | 'stormyChannelId'>;

/** Posts and edits messages until every channel, thread and direct message shows the stored state. */
export function createReconciler(deps: {
  /** A separate client, so that its rate limits and timeouts do not affect interactive requests. */
  api: SlackApi;
  respondTo: RespondTo;
  store: {
    readonly audits: AuditStore;
    readonly effects: Pick<KeptEffects<Tables>, 'keep'>;
    readonly messages: MessageStore;
    readonly pauses: PauseStore;
  };
  kinds: MessageKinds;
  logger: Logger;
  clock: Clock;
  /** Called after each visible change with the time it was due. */
  onShown: (dueForMs: number) => void;
  /** The channel is archived or deleted. @returns true: nothing is to be sent there any more */
  onPlaceGone: (placeId: PlaceId) => Promise<boolean>;
  /** Slack's time. */
  slackNow: () => Date;
  /** Places with due messages, the most urgent first. */
  findDuePlaces: () => Promise<DuePlace[]>;
  /** Starts, calms and ends storms of a channel, which withholds or releases cards. */
  advanceStorms: (channelId: ChannelId) => Promise<void>;
}): Reconciler {
  const { api, store, kinds, logger, clock, onShown } = deps;
  const findAttempt = createFindAttempt();
  const renewal = createRenewal({
    keyOf: ({ lease }: Message) => lease,
    renew: (claimed) => store.messages.renew(claimed),
    logger,
    clock,
  });

  /** Sends in progress, by place id. */
  const sending = new Map<string, Promise<void>>();
  /** Places without a storm and pauses, as this process left them. A claim with a bucket that has changed since finds nothing. */
  const known = new LRUCache<PlaceId, KnownPlace>({ max: MOST_KNOWN });
  let isStopping = false;

  /**
   * Starts to send to the most urgent places, one message to each. A call that hangs delays only its own place. Each
   * message that is sent wakes the loop, so the places are read again after it.
   */
  async function step(stopping: AbortSignal): Promise<number> {
    const waits = [IDLE_MS];
    for (const place of await deps.findDuePlaces()) {
      if (stopping.aborted) {
        break;
      }
      if (sending.has(place.placeId) || sending.size >= slotsFor(place)) {
        continue;
      }
      if (place.stormyChannelId !== null) {
        await deps.advanceStorms(place.stormyChannelId);
      }
      const permit = permitOf(place.bucket, place.pauses, place.now);
      if (!(await take(place, permit)) && permit.waitMs > 0) {
        waits.push(permit.waitMs);
      }
    }
    return Math.min(...waits);
  }

  function start({ placeId, pauses }: KnownPlace, message: Message): void {
    const sent = renewal
      .during(message, () => send(pauses, message))
      .catch((err: unknown) => logger.error({ err, kind: message.kind }, 'the end of a delivery was not stored'))
      .finally(() => {
        sending.delete(placeId);
        loop.kick();
      });
    sending.set(placeId, sent);
  }

  /** Claims a message and sends it. The place is busy from now on. @returns whether there was one */
  async function take(place: KnownPlace, permit: Permit): Promise<boolean> {
    const { placeId, pauses, stormyChannelId } = place;
    if (sending.has(placeId) || permit.calls.length === 0) {
      return false;
    }
    const claimed = Promise.withResolvers<void>();
    sending.set(placeId, claimed.promise);
    known.delete(placeId);
    try {
      const message = await store.messages.claim(place, permit);
      if (message === null) {
        sending.delete(placeId);
        return false;
      }
      if (stormyChannelId === null && pauses.every(({ failures }) => failures === 0)) {
        known.set(placeId, { ...place, bucket: spend(permit.refilled, message) });
      }
      start(place, message);
      return true;
    } catch (error) {
      sending.delete(placeId);
      throw error;
    } finally {
      claimed.resolve();
    }
  }

  async function send(pauses: readonly Pause[], claimed: Message): Promise<void> {
    const kind: MessageKind = kinds[claimed.kind];
    const message = readStored(kind, claimed);
    let worked: Promise<void> = Promise.resolve();
    const onWorked = (call: MessageCall) => {
      if (pauses.some(({ failures }) => failures > 0)) {
        worked = store.pauses.worked(call, message.placeId).catch((err: unknown) => {
          logger.warn({ err }, 'a pause could not be ended; the next success ends it');
        });
      }
    };
    try {
      const delivered = await deliver(message, kind, {
        store: store.messages,
        slack: createSlackCalls({ api, respondTo: deps.respondTo }, kind, findAttempt, onWorked),
        requestAudit: ({ placeId, threadTs }, withinMs) =>
          store.audits.requestAudit(placeId, withinMs, threadTs === null ? [] : [threadTs]),
        requestLateEdit: (edited) => store.effects.keep([lateEdit(edited)]),
        slackNow: deps.slackNow,
        logger,
      });
      if (delivered !== null && kind.lifecycle === 'kept true' && typeof kind.shownAs === 'object') {
        onShown(delivered.dueForMs);
      }
      await worked;
    } catch (error) {
      await (error instanceof MessageCallError ? onCallFailed(message, error) : onFailed(message, error));
      await worked;
    }
  }

  async function onCallFailed(message: Message, { call, failure, cause }: MessageCallError): Promise<void> {
    const { kind, subject, placeId, failures, refusals } = message;
    const facts = { kind, subject, placeId, call, reason: failure.error };
    const isMember = failure.error !== 'not_in_channel' || (await joins(placeId));
    const refusal = isMember && failure.error === 'not_in_channel' ? null : toRefusal(failure, placeId);
    if (refusal !== null) {
      logger.error(facts, 'Slack refuses a message');
    } else if (failure.kind === 'ambiguous') {
      logger.warn(
        { ...facts, err: cause },
        'no clear response to a message; it is searched for before it is sent again',
      );
    } else {
      logger.warn(facts, 'a message was not sent; retrying');
    }
    if (GONE.has(failure.error) && (await deps.onPlaceGone(placeId))) {
      return;
    }
    if (refusal?.of === 'message') {
      const ofKind: MessageKind = kinds[kind];
      const writes = await ofKind.giveUp?.(message, failure.error);
      if (writes) {
        await store.messages.confirmSent(message, true, writes); // dropped once nothing is left to say
        return;
      }
    } else {
      await pause(call, placeId, failure, refusal?.of ?? null);
    }
    const delayMs = retryDelayMs(failure, refusal, { failures, refusals });
    await store.messages.release(message, {
      error: failure.error,
      retryMs: failure.kind === 'rate-limited' ? 0 : Math.max(delayMs, kinds[kind].shortestRetryMs),
      isRefused: refusal?.of === 'message',
    });
  }

  async function pause(
    call: MessageCall,
    placeId: PlaceId,
    failure: SlackFailure,
    refused: 'token' | 'channel' | null,
  ): Promise<void> {
    if (refused !== null) {
      const scope: PauseScope = { call: null, placeId: refused === 'token' ? null : placeId };
      const reason = failure.kind === 'missing-scope' ? `missing_scope ${failure.needed}` : failure.error;
      await store.pauses.failed(scope, reason, () => REFUSED_PAUSE_MS);
      return;
    }
    const limitMs = failure.kind === 'rate-limited' ? Math.min(failure.retryAfterMs, LONGEST_LIMIT_MS) : 0;
    if (limitMs > 0) {
      await store.pauses.failed({ call, placeId }, failure.error, () => limitMs);
    }
    await store.pauses.failed({ call, placeId: null }, failure.error, (failures) =>
      failures < BREAKER_FAILURES ? 0 : Math.max(limitMs, backoffMs(BREAKER, failures - BREAKER_FAILURES + 1)),
    );
  }

  /** Handles errors that are not from Slack: the database is down, or there is a bug. */
  async function onFailed(message: Message, err: unknown): Promise<void> {
    const { kind, subject, placeId, failures } = message;
    logger.error({ err, kind, subject, placeId }, 'a message could not be rendered or stored');
    const retryMs = backoffMs(RETRY, failures + 1);
    await store.messages.release(message, { error: 'internal', retryMs, isRefused: false });
  }

  /** @returns false: the bot cannot join, for example a private channel */
  async function joins(placeId: PlaceId): Promise<boolean> {
    try {
      await api.conversations.join({ channel: placeId });
      return true;
    } catch {
      return false;
    }
  }

  async function allSent(): Promise<void> {
    while (sending.size > 0) {
      await Promise.all(sending.values());
    }
  }

  const loop = createLoop({ name: 'messages', step, retry: RETRY, logger, clock });
  return {
    ...loop,
    async hurry(placeId) {
      const place = known.get(placeId);
      const isFree = place !== undefined && place.bucket.edits >= 1 && sending.size === 0 && !isStopping;
      const isTaken = isFree && (await take(place, editsOf(place.bucket)).catch(() => false));
      if (!isTaken) {
        loop.kick();
      }
    },
    async [Symbol.asyncDispose]() {
      isStopping = true;
      await loop[Symbol.asyncDispose]();
      await settlesWithin(STOP_TIMEOUT_MS, allSent());
      renewal.stop();
    },
  };
}

/** Number of parallel sends. While a call fails in all places, only one is tried at a time. */
function slotsFor({ urgency, pauses }: DuePlace): number {
  if (pauses.some(({ placeId, failures }) => placeId === null && failures > 0)) {
    return 1;
  }
  return urgency !== null && urgency <= URGENCY.opened ? AT_ONCE : AT_ONCE_IN_BACKGROUND;
}
