import type { Logger } from 'pino';
import { max, min, subHours, subMinutes } from '../../runtime/dates.ts';
import { classifySlackFailure, type SlackFailure, slackErrorCode } from '../slack/errors.ts';
import type { PlaceId } from '../slack/identifiers.ts';
import type { SlackApi } from '../slack/methods.ts';
import { type AuditPlan, planAudit } from './audit-plan.ts';
import type { AuditStore, DueAudit } from './audits.ts';
import type { MessageKinds } from './kind.ts';
import { createReadMetadata, DUPLICATE_EVENT_TYPE, type FoundMessage, type SlackHistoryMessage } from './metadata.ts';
import { THREAD_GONE, toRefusal } from './refusals.ts';
import { conversationOf } from './slack-calls.ts';

/** A deleted card is posted again within this time. */
const EVERY_MS = 90_000;
/** Interval for channels without open incidents. */
const QUIET_HOURS = 6;
/** Older messages are not audited. */
const REACH_HOURS = 48;
/** Audits overlap, because a post shortly before an audit may arrive after it. */
const OVERLAP_MINUTES = 15;
const PAGE = 200;
const MAX_PAGES = 10;
const MAX_REMOVED = 50;
/** Delay after an audit that failed or is incomplete. */
const AGAIN_MS = 60_000;

/** Number of repairs in a channel. */
export interface Repairs {
  readonly duplicates: number;
  /** Messages in Slack whose `ts` was not stored. */
  readonly adopted: number;
  /** Deleted messages that are posted again. */
  readonly missing: number;
}

/** Compares channels, threads and direct messages with the database, and repairs differences. */
export interface Audit {
  /** Runs the audits that are due. */
  run(stopping: AbortSignal): Promise<void>;
}

export function createAudit(deps: {
  api: SlackApi;
  store: { readonly audits: AuditStore };
  kinds: MessageKinds;
  onRepaired: (repairs: Repairs) => void;
  logger: Logger;
}): Audit {
  const { api, store, kinds, logger } = deps;
  const readMetadata = createReadMetadata(kinds);
  /** Duplicates that Slack does not let us remove: another app posted them. */
  const notOurs = new Set<string>();

  async function auditPlace(due: DueAudit): Promise<void> {
    const { placeId, auditedUntil, now } = due;
    const reach = subHours(now, REACH_HOURS);
    const reachSeconds = Math.floor(reach.getTime() / 1_000);
    const before = await store.audits.believed(placeId, reachSeconds);
    const open = before.filter(({ isRequired, ts }) => isRequired && ts !== null);
    const isQuiet = open.length === 0 && auditedUntil !== null && due.threads.length === 0;
    if (isQuiet && auditedUntil > subHours(now, QUIET_HOURS)) {
      return;
    }
    const posted = open.map(({ ts }) => new Date(Number.parseFloat(ts ?? '0') * 1_000));
    const overlap = auditedUntil === null ? new Date(0) : subMinutes(auditedUntil, OVERLAP_MINUTES);
    const since = max([reach, min([overlap, ...posted])]);
    const sinceSeconds = Math.floor(since.getTime() / 1_000);
    const channel = await conversationOf(api, placeId);

    const { messages, isWhole } = await readMessages((cursor) =>
      api.conversations.history({
        channel,
        oldest: String(sinceSeconds),
        limit: PAGE,
        include_all_metadata: true,
        ...cursor,
      }),
    );
    const ours = (listed: readonly SlackHistoryMessage[]) => listed.flatMap((message) => readMetadata(message) ?? []);
    const found = ours(messages).toReversed(); // Slack lists the newest first
    for (const ts of due.threads) {
      const thread = await readMessages((cursor) =>
        api.conversations
          .replies({ channel, ts, limit: PAGE, include_all_metadata: true, ...cursor })
          .catch((error: unknown) => emptyIfGone(error)),
      );
      found.push(...ours(thread.messages).filter((message) => message.ts !== ts));
    }
    await store.audits.recordAudited(placeId, now, due.threads, due.nextAt);
    const subjects = found.map(({ subject }) => subject);
    const believed = await store.audits.believed(placeId, reachSeconds, subjects);
    await repair(placeId, channel, planAudit(found, believed, before, isWhole ? sinceSeconds : null));
  }

  async function repair(placeId: PlaceId, channel: string, plan: AuditPlan): Promise<void> {
    for (const { from, to, ...message } of plan.adopted) {
      await store.audits.correct(placeId, message, { from, to });
    }
    for (const { from, ...message } of plan.missing) {
      await store.audits.correct(placeId, message, { from, to: null });
    }
    const { removed, againMs } = await removeDuplicates(channel, plan.duplicates);
    const repairs = { duplicates: removed, adopted: plan.adopted.length, missing: plan.missing.length };
    if (repairs.duplicates + repairs.adopted + repairs.missing > 0) {
      logger.warn({ placeId, ...repairs, strangers: plan.strangers.length }, 'the audit repaired messages');
      deps.onRepaired(repairs);
    }
    if (againMs !== null || plan.undecided.length > 0) {
      await store.audits.requestAudit(placeId, againMs ?? AGAIN_MS);
    }
  }

  /** @returns how many were removed, and the delay before the others are tried; null: none left */
  async function removeDuplicates(
    channel: string,
    duplicates: readonly FoundMessage[],
  ): Promise<{ removed: number; againMs: number | null }> {
    const ours = duplicates.filter(({ ts }) => !notOurs.has(`${channel} ${ts}`));
    let removed = 0;
    for (const duplicate of ours.slice(0, MAX_REMOVED)) {
      try {
        await removeDuplicate(channel, duplicate);
        removed += 1;
      } catch (error) {
        const failure = classifySlackFailure(error);
        logger.warn({ channel, subject: duplicate.subject, reason: failure.error }, 'a duplicate was not removed');
        if (toRefusal(failure)?.of !== 'message') {
          return { removed, againMs: pauseAfter(failure) };
        }
        notOurs.add(`${channel} ${duplicate.ts}`);
      }
    }
    return { removed, againMs: ours.length > MAX_REMOVED ? AGAIN_MS : null };
  }

  /** A duplicate with replies is turned into a note, so that the replies stay. */
  async function removeDuplicate(channel: string, { ts, kind, subject, hasReplies }: FoundMessage): Promise<void> {
    logger.info({ channel, kind, subject }, 'removing a duplicate');
    if (!hasReplies) {
      await api.chat.delete({ channel, ts });
      return;
    }
    await api.chat.update({
      channel,
      ts,
      text: 'This was a duplicate of a card. The card in this channel is kept up to date.',
      blocks: [],
      metadata: { event_type: DUPLICATE_EVENT_TYPE, event_payload: {} },
    });
  }

  return {
    async run(stopping) {
      for (const due of await store.audits.claimAudits(EVERY_MS)) {
        if (stopping.aborted) {
          return;
        }
        try {
          await auditPlace(due);
        } catch (error) {
          const failure = classifySlackFailure(error);
          logger.warn({ placeId: due.placeId, reason: failure.error }, 'an audit failed; retrying');
          await store.audits.requestAudit(due.placeId, pauseAfter(failure), due.threads);
        }
      }
    },
  };
}

/** The thread of a message that was deleted has nothing to compare; the channel's history shows what is missing. */
function emptyIfGone(error: unknown): Page {
  if (THREAD_GONE.has(slackErrorCode(error))) {
    return {};
  }
  throw error;
}

function pauseAfter(failure: SlackFailure): number {
  return failure.kind === 'rate-limited' ? failure.retryAfterMs : AGAIN_MS;
}

interface Page {
  readonly messages?: readonly SlackHistoryMessage[];
  readonly response_metadata?: { readonly next_cursor?: string };
}

/** Reads in Slack's order. A rate limit ends the reading; the audit uses what was read until then. */
async function readMessages(
  read: (cursor: { cursor?: string }) => Promise<Page>,
): Promise<{ messages: SlackHistoryMessage[]; isWhole: boolean }> {
  const messages: SlackHistoryMessage[] = [];
  let cursor = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await read(cursor === '' ? {} : { cursor }).catch((error: unknown) => {
      if (page > 0 && classifySlackFailure(error).kind === 'rate-limited') {
        return null;
      }
      throw error;
    });
    if (answer === null) {
      break;
    }
    messages.push(...(answer.messages ?? []));
    cursor = answer.response_metadata?.next_cursor ?? '';
    if (cursor === '') {
      return { messages, isWhole: true };
    }
  }
  return { messages, isWhole: false };
}
