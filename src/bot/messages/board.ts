import { max } from 'date-fns/max';
import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import { STORM_RULES, type StormRules } from '../domain/storm.ts';
import type { Figures } from '../monitoring/counters.ts';
import { classifySlackFailure } from '../slack/errors.ts';
import type { SlackApi } from '../slack/methods.ts';
import type { Card } from '../store/cards.ts';
import type { DueChannel } from '../store/due.ts';
import type { Store } from '../store/store.ts';
import type { Storm } from '../store/storms.ts';
import { incidentCard } from '../views/incident-card.ts';
import { stormCard } from '../views/storm-card.ts';
import { factsOf } from '../views/what-changed.ts';
import { createCardPoster, digestOf } from './card-poster.ts';
import type { Attempt } from './find-attempt.ts';
import { createLimitedCall } from './limited-calls.ts';
import { createPace, type Pace } from './pace.ts';
import { createProblems } from './problems.ts';
import { CLOSED_CHANNEL_PAUSE_MS, type Failures, NEVER_FAILED, retryPause, toRefusal } from './refusals.ts';
import { createSender, isShown } from './sender.ts';
import { createTeller } from './teller.ts';

const IDLE_MS = 2_000;
/** Whoever holds the other lease is done by then. */
const AUDIT_PAUSE_MS = 60_000;

/** A storm's numbers move all the time; people read slower. */
export const STORM_EDIT_MS = 3_000;

/** What changes within this is one reply in the thread. */
const SETTLE_MS = 2_000;
/** Nobody waits for a reply, so one that failed gives way, and one whose answer was lost has time to arrive. */
const REPLY_PAUSE_MS = 10_000;
/** Messages that a channel must still take at once after a reply. */
const SPARE_FOR_CARDS = 2;

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
  clock: Clock;
  figures: Figures;
  /** When the service last answered, if that is too long ago. */
  staleSince: () => Promise<Date | null>;
  storms?: StormRules;
}): Board {
  const { store, logger, clock } = deps;
  const { now } = clock;
  const rules = deps.storms ?? STORM_RULES;
  const spend = (channelId: string) => paceOf(channelId).spend(now());
  const limitedCall = createLimitedCall({ limits: store.limits, logger, now });
  const sender = createSender({ poster: createCardPoster(deps.api), store, limitedCall, spend, logger, now });
  const teller = createTeller({ api: deps.api, threads: store.threads, limitedCall, spend, logger, now });
  const paces = new Map<string, Pace>();
  const problems = createProblems(now);

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
      for (const channel of await store.dueChannels(now(), rules)) {
        if (stopping.aborted) {
          return IDLE_MS;
        }
        const waitMs = paceOf(channel.channelId).waitMs(now());
        if (waitMs === 0 && (await settleNext(channel))) {
          isAnySent = true;
        }
        waits.push(waitMs > 0 ? waitMs : IDLE_MS);
      }
      if (!isAnySent) {
        return Math.min(IDLE_MS, ...waits);
      }
    }
  }

  /**
   * The storm of a channel comes before its cards, which it spares people, and their threads come last.
   *
   * @returns false: nothing is due
   */
  async function settleNext(channel: DueChannel): Promise<boolean> {
    return (
      (channel.isStormy && (await showNextStorm(channel))) ||
      (channel.hasCards && (await showNextCard(channel))) ||
      (channel.hasThreads && (await tellNext(channel)))
    );
  }

  async function showNextStorm({ channelId, paused }: DueChannel): Promise<boolean> {
    const at = now();
    await store.storms.advance(channelId, at, rules);
    const storm = await store.storms.claim(channelId, at, paused);
    if (storm === null) {
      return false;
    }
    await settling(
      channelId,
      () => showStorm(storm),
      { stormId: storm.id },
      NEVER_FAILED,
      ({ retryAt }) => store.storms.release(storm, retryAt),
    );
    return true;
  }

  async function showNextCard({ channelId, paused }: DueChannel): Promise<boolean> {
    const card = await store.cards.claim(channelId, now(), paused);
    if (card === null) {
      return false;
    }
    await settling(
      channelId,
      () => show(card),
      { incidentId: card.incidentId },
      card,
      (failed) => store.cards.release(card, failed),
    );
    return true;
  }

  async function tellNext({ channelId, paused }: DueChannel): Promise<boolean> {
    if (paceOf(channelId).waitMs(now(), SPARE_FOR_CARDS) > 0) {
      return false;
    }
    const thread = await store.threads.claim(channelId, now(), paused);
    if (thread === null) {
      return false;
    }
    await settling(
      channelId,
      () => teller.tell(thread),
      { incidentId: thread.incidentId, cardTs: thread.cardTs },
      NEVER_FAILED,
      ({ retryAt }) => store.threads.release(thread, max([retryAt, after(REPLY_PAUSE_MS)])),
    );
    return true;
  }

  async function settling(
    channelId: string,
    show: () => Promise<void>,
    what: Readonly<Record<string, string>>,
    before: Failures,
    release: (failed: { error: string; retryAt: Date; isRefused: boolean }) => Promise<void>,
  ): Promise<void> {
    const subject = Object.values(what).join(' ');
    try {
      await show();
      problems.solved(channelId, subject);
    } catch (cause) {
      const failure = classifySlackFailure(cause);
      const { error } = failure;
      const facts = { ...what, channelId, reason: error };
      if (failure.kind === 'ambiguous') {
        logger.warn(
          { ...facts, err: cause },
          'a message was sent without a clear answer and is looked for before it is sent again',
        );
      }
      const refusal = error === 'not_in_channel' && (await joins(channelId)) ? null : toRefusal(failure);
      const retryMs = retryPause(failure, refusal, before);
      if (refusal !== null) {
        logger.error(facts, 'Slack refuses a message');
        problems.met(channelId, subject, refusal, retryMs);
        if (refusal.of !== 'message') {
          paceOf(channelId).pauseUntil(after(CLOSED_CHANNEL_PAUSE_MS));
        }
      }
      await release({ error, retryAt: after(retryMs), isRefused: refusal?.of === 'message' });
    }
  }

  /** Renders the latest state, whatever it was when the card became due. */
  async function show(card: Card): Promise<void> {
    const [known, staleSince] = await Promise.all([store.incidents.find(card.incidentId), deps.staleSince()]);
    if (known === null) {
      throw new Error(`the card of ${card.incidentId} has no incident`);
    }
    const message = incidentCard(known, staleSince);
    const digest = digestOf(message);
    const target = {
      ...card,
      subject: { incident_id: card.incidentId },
      beginAttempt: (attempt: Attempt) => store.cards.beginAttempt(card, attempt),
      endAttempt: () => store.cards.endAttempt(card),
      forgetMessage: () => store.cards.forgetMessage(card),
    };
    const ts = await sender.send(target, message, digest);
    if (ts !== null) {
      const facts = factsOf(known.incident, now());
      const shown = { ts, digest, revision: known.revision, facts, tellAt: after(SETTLE_MS) };
      const lagMs = await store.cards.markShown(card, shown);
      if (lagMs === null) {
        await lookForDoubles(card.channelId);
      } else if (!isShown(card, digest)) {
        deps.figures.cardShown(lagMs);
      }
    }
  }

  async function showStorm(storm: Storm): Promise<void> {
    const { id } = storm;
    const message = stormCard(await store.storms.summary(storm), await deps.staleSince());
    const digest = digestOf(message);
    const target = {
      ...storm,
      subject: { storm_id: id },
      beginAttempt: (attempt: Attempt) => store.storms.beginAttempt(storm, attempt),
      endAttempt: () => store.storms.endAttempt(storm),
      forgetMessage: () => store.storms.forgetMessage(storm),
    };
    const ts = await sender.send(target, message, digest);
    if (ts !== null) {
      const shown = { ts, digest, nextAt: after(STORM_EDIT_MS), isSettled: storm.endedAt !== null };
      if (!(await store.storms.markShown(storm, shown))) {
        await lookForDoubles(storm.channelId);
      }
    }
  }

  /** This process was so slow that another one worked at the same message. */
  async function lookForDoubles(channelId: string): Promise<void> {
    logger.warn({ channelId }, 'a lease ran out over a message, so the channel is audited');
    await store.audits.request(channelId, after(AUDIT_PAUSE_MS));
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

  const loop = createLoop({ name: 'board', step, retry: { firstMs: IDLE_MS, longestMs: 30_000 }, logger, clock });
  return {
    ...loop,
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
    problemOf: (channelId) => problems.ofChannel(channelId),
    tokenProblem: () => problems.ofToken(),
  };
}
