import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Healed } from '../figures.ts';
import { CARD_EVENT_TYPE } from '../ids.ts';
import { createLoop, type Loop } from '../loop.ts';
import { slackErrorCode } from '../slack-errors.ts';
import type { SlackApi } from '../slack-methods.ts';
import type { Store } from '../store/store.ts';
import { type AuditPlan, type BelievedCard, type FoundCard, planAudit } from './audit-plan.ts';

/** Reading history is dear, so it is rare and bounded. */
const EVERY_MS = 6 * 60 * 60_000;
const FIRST_MS = 10 * 60_000;
const REACH_MS = 48 * 60 * 60_000;
const PAGE = 200;
const MAX_PAGES = 10;
const MAX_HEALED = 50;
const CHECK_MS = 30_000;
/** After one that met a card which somebody was working on. */
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

  async function step(stopping: AbortSignal): Promise<number> {
    for (const { channelId } of await store.subscriptions.list()) {
      if (!stopping.aborted && (await store.audits.claim(channelId, now(), { everyMs: EVERY_MS, firstMs: FIRST_MS }))) {
        await auditChannel(channelId).catch((error: unknown) => {
          logger.warn({ channelId, reason: slackErrorCode(error) }, 'a channel could not be audited, it comes again');
        });
      }
    }
    return CHECK_MS;
  }

  async function auditChannel(channelId: string): Promise<void> {
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
    const sum = (kind: keyof AuditPlan) => healed.reduce((total, plan) => total + plan[kind].length, 0);
    const counts = {
      doubles: sum('doubles'),
      adopted: sum('adopted'),
      missing: sum('missing'),
      strangers: sum('strangers'),
    };
    if (sum('undecided') > 0) {
      await store.audits.request(channelId, new Date(now().getTime() + AGAIN_MS));
    }
    if (counts.doubles + counts.adopted + counts.missing > 0) {
      logger.warn({ channelId, ...counts }, 'the audit healed a channel');
      deps.onHealed(counts);
    } else {
      logger.info({ channelId, ...counts }, 'the audit found a channel in order');
    }
  }

  async function healChannel(
    channelId: string,
    plan: AuditPlan,
    move: Store['cards' | 'storms']['moveMessage'],
  ): Promise<AuditPlan> {
    for (const { id, ts, found } of plan.adopted) {
      await move(channelId, id, { from: ts, to: found });
    }
    for (const { id, ts } of plan.missing) {
      await move(channelId, id, { from: ts, to: null });
    }
    for (const double of plan.doubles.slice(0, MAX_HEALED)) {
      await removeDouble(channelId, double);
    }
    return plan;
  }

  /** Oldest first. */
  async function readHistory(channelId: string, oldest: number): Promise<{ messages: Message[]; isWhole: boolean }> {
    const messages: Message[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const history = await api.conversations.history({
        channel: channelId,
        oldest: String(oldest),
        limit: PAGE,
        include_all_metadata: true,
        ...(cursor !== undefined && { cursor }),
      });
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

  const loop = createLoop({ name: 'audit', step, retryMs: CHECK_MS, logger, clock });
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
