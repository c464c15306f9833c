import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { createLoop, type Loop } from '../loop.ts';
import { classifySlackFailure, type SlackFailure } from '../slack-errors.ts';
import type { SlackApi } from '../slack-methods.ts';
import type { Card } from '../store/cards.ts';
import type { CardMethod } from '../store/limits.ts';
import type { Store } from '../store/store.ts';
import { incidentCard } from '../views/incident-card.ts';
import type { SlackMessage } from '../views/message.ts';
import { createCardPoster, digestOf } from './card-poster.ts';
import { createPace, type Pace } from './pace.ts';

const IDLE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** A channel that does not take messages at all is tried again after this. */
const CLOSED_CHANNEL_PAUSE_MS = 30_000;
/** Not less, so that a post whose answer was lost has arrived before it is looked for. */
const SHORTEST_PAUSE_MS = 1_000;

/** By then a post that was not there when it was looked for has arrived, or never will. */
const LATE_POST_MS = 2 * 60_000;

const CHANNEL_CLOSED: Readonly<Record<string, string>> = {
  channel_not_found: 'cannot see that channel: invite it there with /invite, or correct INCIDENTS_CHANNEL',
  is_archived: 'finds that channel archived: unarchive it or choose another as INCIDENTS_CHANNEL',
  not_in_channel: 'is not in that channel: invite it there with /invite',
  restricted_action: 'may not post in that channel: change its posting permissions',
};

/** Makes each channel show what it should: the reconciler between the wanted cards and the ones in Slack. */
export interface Board extends Loop {
  /** Why a channel gets no cards and what to do; null while all is well. */
  problemOf(channelId: string): string | null;
  /** Why Slack lets us do nothing at all; null while it does. */
  tokenProblem(): string | null;
}

export function createBoard(deps: {
  /** The lane of the background: its rate limits and timeouts touch nobody who waits for an answer. */
  api: SlackApi;
  store: Store;
  logger: Logger;
  now: () => Date;
}): Board {
  const { store, logger, now } = deps;
  const poster = createCardPoster(deps.api);
  const paces = new Map<string, Pace>();
  const problems = new Map<string, string>();
  let tokenProblem: string | null = null;

  function paceOf(channelId: string): Pace {
    const pace = paces.get(channelId) ?? createPace();
    paces.set(channelId, pace);
    return pace;
  }

  /** One card of each channel that has something due, round and round until nothing can be sent at once. */
  async function step(stopping: AbortSignal): Promise<number> {
    for (;;) {
      const waits: number[] = [];
      let isAnySent = false;
      const limits = await store.limits.active(now());
      for (const channelId of await store.cards.channels()) {
        if (stopping.aborted) {
          return IDLE_MS;
        }
        const waitMs = paceOf(channelId).waitMs(now());
        const paused = limits.filter((limit) => limit.channelId === channelId).map((limit) => limit.method);
        const card = waitMs > 0 ? null : await store.cards.claim(channelId, now(), paused);
        if (card !== null) {
          await settle(card);
          isAnySent = true;
        }
        waits.push(waitMs > 0 ? waitMs : IDLE_MS);
      }
      if (!isAnySent) {
        return Math.min(IDLE_MS, ...waits);
      }
    }
  }

  async function settle(card: Card): Promise<void> {
    try {
      await show(card);
      problems.delete(card.channelId);
      tokenProblem = null;
    } catch (error) {
      await answerFailure(card, classifySlackFailure(error), error);
    }
  }

  /** Renders the latest state, whatever it was when the card became due. */
  async function show(card: Card): Promise<void> {
    const known = await store.incidents.find(card.incidentId);
    if (known === null) {
      throw new Error(`the card of ${card.incidentId} has no incident`);
    }
    const message = incidentCard(known.incident, known.waiting);
    const digest = digestOf(message);
    const ts = await send(card, message, digest);
    if (ts !== null) {
      await store.cards.markShown(card, { ts, digest, revision: known.revision });
    }
  }

  /** @returns null when the card comes again at once, to be posted anew */
  async function send(card: Card, message: SlackMessage, digest: string): Promise<string | null> {
    const { ts } = card;
    if (ts !== null && card.shownDigest === digest) {
      return ts;
    }
    if (ts !== null) {
      return edit({ ...card, ts }, message);
    }
    if (card.attempt === null) {
      return post(card, message, randomUUID());
    }
    const { attempt } = card;
    const left = await calling('conversations.history', card, () => poster.findAttempt(card, attempt));
    if (left !== null) {
      return edit({ ...card, ts: left }, message);
    }
    await store.audits.request(card.channelId, after(LATE_POST_MS));
    return post(card, message, attempt.id);
  }

  async function edit(card: Card & { ts: string }, message: SlackMessage): Promise<string | null> {
    paceOf(card.channelId).spend(now());
    try {
      await calling('chat.update', card, () => poster.edit(card, message));
      return card.ts;
    } catch (error) {
      if (classifySlackFailure(error).error !== 'message_not_found') {
        throw error;
      }
      logger.info({ incidentId: card.incidentId, channelId: card.channelId }, 'a card was deleted in Slack');
      await store.cards.forgetMessage(card);
      return null;
    }
  }

  async function post(card: Card, message: SlackMessage, attemptId: string): Promise<string> {
    paceOf(card.channelId).spend(now());
    await store.cards.beginAttempt(card, attemptId, card.attempt?.id === attemptId ? card.attempt.at : now());
    try {
      return await calling('chat.postMessage', card, () => poster.post(card, attemptId, message));
    } catch (error) {
      // An earlier attempt may still arrive, so only one that began here is over.
      if (card.attempt === null && classifySlackFailure(error).kind !== 'ambiguous') {
        await store.cards.endAttempt(card);
      }
      throw error;
    }
  }

  /** A limit is of one call in one channel: the other calls there, and all in other channels, go on. */
  async function calling<Result>(method: CardMethod, card: Card, call: () => Promise<Result>): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      const failure = classifySlackFailure(error);
      if (failure.kind === 'rate-limited') {
        const { channelId } = card;
        await store.limits.record({ channelId, method, limitedAt: now(), pausedUntil: after(failure.retryAfterMs) });
        logger.warn({ channelId, method, retryMs: failure.retryAfterMs }, 'Slack limits the rate');
      }
      throw error;
    }
  }

  async function answerFailure(card: Card, failure: SlackFailure, cause: unknown): Promise<void> {
    const facts = { incidentId: card.incidentId, channelId: card.channelId, reason: failure.error };
    const pauseMs = Math.min(SHORTEST_PAUSE_MS * 2 ** Math.min(card.attempts, 10), LONGEST_PAUSE_MS);
    let retryMs = pauseMs;
    if (failure.kind === 'rate-limited') {
      retryMs = failure.retryAfterMs;
    } else if (failure.kind === 'ambiguous') {
      logger.warn(
        { ...facts, err: cause },
        'a card was sent without a clear answer and is looked for before it is sent again',
      );
    } else {
      retryMs = Math.max(pauseMs, await closeChannel(card, failure));
      logger.error(facts, 'Slack refuses a card');
    }
    await store.cards.release(card, { error: failure.error, retryAt: after(retryMs) });
  }

  /** @returns how long to wait before the next try */
  async function closeChannel(card: Card, failure: SlackFailure): Promise<number> {
    const { channelId } = card;
    if (failure.error === 'not_in_channel' && (await joins(channelId))) {
      return 0;
    }
    if (failure.kind === 'refused-token') {
      tokenProblem = `Slack refuses SLACK_BOT_TOKEN (${failure.error}): install the app again and set its new token. The cards are kept and sent then.`;
    }
    const why = CHANNEL_CLOSED[failure.error];
    if (why === undefined && failure.kind === 'refused') {
      problems.set(channelId, `Slack refuses a card (${failure.error}); it is tried again.`);
      return LONGEST_PAUSE_MS;
    }
    problems.set(channelId, `The bot ${why ?? `is refused by Slack (${failure.error}): check SLACK_BOT_TOKEN`}.`);
    paceOf(channelId).pauseUntil(after(CLOSED_CHANNEL_PAUSE_MS));
    return CLOSED_CHANNEL_PAUSE_MS;
  }

  async function joins(channelId: string): Promise<boolean> {
    try {
      await deps.api.conversations.join({ channel: channelId });
      return true;
    } catch {
      return false; // a private channel: only a person can invite
    }
  }

  function after(delayMs: number): Date {
    return new Date(now().getTime() + delayMs);
  }

  const loop = createLoop({ name: 'board', step, retryMs: IDLE_MS, logger });
  return {
    ...loop,
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
    problemOf: (channelId) => problems.get(channelId) ?? null,
    tokenProblem: () => tokenProblem,
  };
}
