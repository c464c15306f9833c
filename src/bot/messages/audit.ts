import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import { CARD_EVENT_TYPE } from '../domain/ids.ts';
import type { Healed } from '../monitoring/counters.ts';
import { classifySlackFailure, type SlackFailure } from '../slack/errors.ts';
import type { SlackApi } from '../slack/methods.ts';
import type { Store } from '../store/store.ts';
import { type AuditPlan, type BelievedCard, type FoundCard, planAudit } from './audit-plan.ts';
import { toRefusal } from './refusals.ts';

/** Reading history is dear, so it is rare and bounded. */
const EVERY_MS = 6 * 60 * 60_000;
const FIRST_MS = 10 * 60_000;
const REACH_MS = 48 * 60 * 60_000;
const PAGE = 200;
const MAX_PAGES = 10;
const MAX_HEALED = 50;
const CHECK_MS = 30_000;
/** After one that failed, or left something for the next. */
const AGAIN_MS = 60_000;

/** Compares each channel with what we know of it now and then, and heals what differs. */
export function createAudit(deps: {
  api: SlackApi;
  store: Store;
  /** Told what was healed. */
  onHealed: (healed: Healed) => void;
  logger: Logger;
  clock: Clock;
}): Loop {
  const { api, store, logger, clock } = deps;
  const { now } = clock;

  /** Doubles that are not ours to take away: another app's, as before this one was made anew. */
  const notOurs = new Set<string>();

  async function step(stopping: AbortSignal): Promise<number> {
    for (const { channelId } of await store.subscriptions.list()) {
      if (!stopping.aborted && (await store.audits.claim(channelId, now(), { everyMs: EVERY_MS, firstMs: FIRST_MS }))) {
        const againMs = await auditChannel(channelId).catch((error: unknown) => {
          const failure = classifySlackFailure(error);
          logger.warn({ channelId, reason: failure.error }, 'a channel could not be audited, it comes again');
          return pauseAfter(failure);
        });
        if (againMs !== null) {
          await store.audits.request(channelId, new Date(now().getTime() + againMs));
        }
      }
    }
    return CHECK_MS;
  }

  /** @returns in how long it has to come again; null: as usual */
  async function auditChannel(channelId: string): Promise<number | null> {
    const open = await store.cards.openIn(channelId);
    const oldestSeconds = Math.floor((now().getTime() - REACH_MS) / 1_000);
    const { messages, isWhole } = await readHistory(channelId, oldestSeconds);
    const since = isWhole ? oldestSeconds : null;
    const heal = async (
      field: string,
      mustBeThere: readonly BelievedCard[],
      kept: Pick<Store['cards' | 'storms'], 'among' | 'moveMessage'>,
    ) => {
      const found = messages.flatMap((message) => toFoundCard(message, field));
      const believed = await kept.among(
        channelId,
        found.map(({ id }) => id),
      );
      return healChannel(channelId, planAudit(found, believed, mustBeThere, since), kept.moveMessage);
    };
    const healed = [await heal('incident_id', open, store.cards), await heal('storm_id', [], store.storms)];
    const sum = (kind: 'doubles' | 'adopted' | 'missing' | 'strangers') =>
      healed.reduce((total, counts) => total + counts[kind], 0);
    const counts = {
      doubles: sum('doubles'),
      adopted: sum('adopted'),
      missing: sum('missing'),
      strangers: sum('strangers'),
    };
    if (counts.doubles + counts.adopted + counts.missing > 0) {
      logger.warn({ channelId, ...counts }, 'the audit healed a channel');
      deps.onHealed(counts);
    } else {
      logger.info({ channelId, ...counts }, 'the audit found a channel in order');
    }
    return Math.max(...healed.map(({ againMs }) => againMs ?? 0)) || null;
  }

  async function healChannel(channelId: string, plan: AuditPlan, move: Store['cards' | 'storms']['moveMessage']) {
    for (const { id, ts, found } of plan.adopted) {
      await move(channelId, id, { from: ts, to: found });
    }
    for (const { id, ts } of plan.missing) {
      await move(channelId, id, { from: ts, to: null });
    }
    const { removed, againMs } = await removeDoubles(channelId, plan.doubles);
    return {
      doubles: removed,
      adopted: plan.adopted.length,
      missing: plan.missing.length,
      strangers: plan.strangers.length,
      againMs: againMs ?? (plan.undecided.length > 0 ? AGAIN_MS : null),
    };
  }

  /** @returns how many are gone, and in how long to come again for the others */
  async function removeDoubles(
    channelId: string,
    doubles: readonly FoundCard[],
  ): Promise<{ removed: number; againMs: number | null }> {
    const keyOf = ({ ts }: FoundCard) => `${channelId} ${ts}`;
    const ours = doubles.filter((double) => !notOurs.has(keyOf(double)));
    let removed = 0;
    for (const double of ours.slice(0, MAX_HEALED)) {
      try {
        await removeDouble(channelId, double);
        removed += 1;
      } catch (error) {
        const failure = classifySlackFailure(error);
        logger.warn({ channelId, id: double.id, reason: failure.error }, 'a double could not be taken away');
        if (toRefusal(failure)?.of !== 'message') {
          return { removed, againMs: pauseAfter(failure) };
        }
        notOurs.add(keyOf(double));
      }
    }
    return { removed, againMs: ours.length > MAX_HEALED ? AGAIN_MS : null };
  }

  function pauseAfter(failure: SlackFailure): number {
    return failure.kind === 'rate-limited' ? failure.retryAfterMs : AGAIN_MS;
  }

  /** Oldest first. What was read before Slack limits the rate is worth an audit. */
  async function readHistory(channelId: string, oldest: number): Promise<{ messages: Message[]; isWhole: boolean }> {
    const messages: Message[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const history = await api.conversations
        .history({
          channel: channelId,
          oldest: String(oldest),
          limit: PAGE,
          include_all_metadata: true,
          ...(cursor !== undefined && { cursor }),
        })
        .catch((error: unknown) => {
          if (page > 0 && classifySlackFailure(error).kind === 'rate-limited') {
            return null;
          }
          throw error;
        });
      if (history === null) {
        break;
      }
      messages.push(...(history.messages ?? []));
      cursor = history.response_metadata?.next_cursor;
      if (cursor === undefined || cursor === '') {
        return { messages: messages.reverse(), isWhole: true };
      }
    }
    return { messages: messages.reverse(), isWhole: false };
  }

  /** A double that people have answered keeps their answers and says that it is one. */
  async function removeDouble(channelId: string, { ts, id, hasReplies }: FoundCard): Promise<void> {
    logger.info({ channelId, id }, 'a double is taken away');
    if (!hasReplies) {
      await api.chat.delete({ channel: channelId, ts });
      return;
    }
    await api.chat.update({
      channel: channelId,
      ts,
      text: 'This was a double of a card. The card itself is in this channel too and is kept true.',
      blocks: [],
      metadata: { event_type: `${CARD_EVENT_TYPE}_double`, event_payload: {} },
    });
  }

  const loop = createLoop({ name: 'audit', step, retry: { firstMs: CHECK_MS, longestMs: CHECK_MS }, logger, clock });
  return { ...loop, [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose]() };
}

interface Message {
  readonly ts?: string;
  readonly reply_count?: number;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: object };
}

/** @param field of the metadata, which names what the card is for */
function toFoundCard({ ts, reply_count: replies = 0, metadata }: Message, field: string): FoundCard[] {
  const id: unknown =
    metadata?.event_type === CARD_EVENT_TYPE ? Reflect.get(metadata.event_payload ?? {}, field) : undefined;
  return ts === undefined || typeof id !== 'string' ? [] : [{ ts, id, hasReplies: replies > 0 }];
}
