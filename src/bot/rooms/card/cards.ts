import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { fromNow } from '../../../database/lease.ts';
import { prepared } from '../../../database/prepared.ts';
import { isAcknowledged } from '../../../incident/acknowledged.ts';
import { URGENCY, type Urgency } from '../../incident/urgency.ts';
import { LONGEST_HOLD_MS, OPEN, redraw, STORM_GOES_ON } from '../../messages/due.ts';
import { DRAW_AGAIN, insertMessages } from '../../messages/insert-messages.ts';
import type { Message, MessageData } from '../../messages/message.ts';
import type { Writes } from '../../messages/message-store.ts';
import { moveNotices } from '../../messages/notices.ts';
import type { ChannelId, IncidentId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';
import { NOT_REMINDED, type Reminded, STORED_REMINDED } from '../reminders/reminder.ts';
import { forgetOtherThreads, scheduleReminder } from '../reminders/reminders.ts';
import { type Facts, STORED_FACTS } from './facts.ts';

/** What the card shows, and what its thread has reported and was reminded of. */
export const CARD_DATA = z.object({
  shown: STORED_FACTS.optional(),
  told: STORED_FACTS.optional(),
  reminded: STORED_REMINDED.optional(),
});

declare module '../../messages/message.ts' {
  interface MessageTypes {
    card: { placeId: ChannelId; subject: IncidentId; data: z.infer<typeof CARD_DATA>; attemptData: null };
  }
}

/** Debounce: changes within this time become one reply. */
const REPLY_DEBOUNCE_MS = 2_000;

/** Number of due messages by urgency; `withheld`: cards that are part of a storm message. */
export type WaitingMessages = Readonly<Record<keyof typeof URGENCY | 'withheld', number>>;

export interface CardStore {
  /** What the card shows and what its thread has reported; null: there is no such card. */
  facts(incidentId: IncidentId, channelId: ChannelId): Promise<{ shown: Facts; told: Facts } | null>;
  /** Whether the incident has a card in the channel, or will get one. */
  exists(incidentId: IncidentId, channelId: ChannelId): Promise<boolean>;
  /** The `ts` of the card in the channel; null: there is none. */
  findTs(incidentId: IncidentId, channelId: ChannelId): Promise<string | null>;
  /**
   * Makes the card of an open incident due again after its message was deleted, or the message of a storm that goes on.
   *
   * @returns whether it was such a message
   */
  markDeleted(channelId: ChannelId, ts: string): Promise<boolean>;
  /** By channel: Slack's error for a message that it refused. */
  refused(): Promise<{ channelId: ChannelId; error: string }[]>;
  countWaiting(): Promise<WaitingMessages>;
  /** When the longest waiting message became due; null: none is due. */
  oldestWaitingSince(): Promise<Date | null>;
}

/** A direct message waits only once nobody else has given the answer in time. */
const isWaiting = sql<boolean>`(needs_redraw and held_until is null and kind not in ('home', 'list', 'signals')
  and not (kind = 'answer' and failures = 0 and coalesce(retry_at > clock_now(), false)))`;

export function createCardStore(db: Kysely<Tables>): CardStore {
  const cardOf = (incidentId: IncidentId, channelId: ChannelId) =>
    db
      .selectFrom('messages')
      .select(['ts', 'data'])
      .where('kind', '=', 'card')
      .where('subject', '=', incidentId)
      .where('channel_id', '=', channelId)
      .executeTakeFirst();

  return {
    async facts(incidentId, channelId) {
      const row = await cardOf(incidentId, channelId);
      const { shown, told } = CARD_DATA.parse(row?.data ?? {});
      return shown === undefined || told === undefined ? null : { shown, told };
    },

    exists: async (incidentId, channelId) => (await cardOf(incidentId, channelId)) !== undefined,

    findTs: async (incidentId, channelId) => (await cardOf(incidentId, channelId))?.ts ?? null,

    async markDeleted(channelId, ts) {
      const where = sql<boolean>`channel_id = ${channelId} and ts = ${ts}
        and (kind = 'card' and subject in (select incident_id from incidents where is_open)
          or ${STORM_GOES_ON})`;
      const { numAffectedRows = 0n } = await redraw(where, URGENCY.opened, { digest: null }).execute(db);
      return numAffectedRows > 0n;
    },

    async refused() {
      const { rows } = await sql<{ channelId: ChannelId; error: string }>`
        select distinct on (channel_id) channel_id as "channelId", last_error as error from messages
        where needs_redraw and refusals > 0 and last_error is not null
        order by channel_id, due_since`.execute(db);
      return rows;
    },

    async countWaiting() {
      const { rows } = await sql<{ urgency: number; is_withheld: boolean; count: string }>`
        select urgency, is_withheld, count(*) from messages
        where ${isWaiting} group by urgency, is_withheld`.execute(db);
      const sum = (matches: (row: { urgency: number; is_withheld: boolean }) => boolean) =>
        rows.filter(matches).reduce((total, { count }) => total + Number(count), 0);
      const due = (urgency: Urgency) => sum((row) => !row.is_withheld && row.urgency === urgency);
      return {
        person: due(URGENCY.person),
        opened: due(URGENCY.opened),
        state: due(URGENCY.state),
        count: due(URGENCY.count),
        reply: due(URGENCY.reply),
        withheld: sum((row) => row.is_withheld),
      };
    },

    async oldestWaitingSince() {
      const { rows } = await sql<{ since: Date | null }>`
        select min(due_since) as since from messages
        where ${isWaiting} and not is_withheld and urgency < ${URGENCY.reply}`.execute(db);
      return rows[0]?.since ?? null;
    },
  };
}

/**
 * Adds cards. During a storm they are withheld.
 *
 * @param source a relation with the columns `incident_id`, `channel_id` and `held_until`
 */
export function insertCards(source: RawBuilder<unknown>, urgency: Urgency): RawBuilder<unknown> {
  return insertMessages(
    'card',
    urgency,
    {
      channel_id: sql`source.channel_id`,
      subject: sql`source.incident_id`,
      held_until: sql`case when source.held_until is not null
        then least(source.held_until, ${fromNow(LONGEST_HOLD_MS)}) end`,
      storm_id: sql`storm.id`,
      is_withheld: sql`storm.id is not null`,
    },
    {
      from: sql`${source} as source
        left join messages as storm on storm.channel_id = source.channel_id and storm.kind = 'storm'
          and storm.data->>'calmAt' is null and source.held_until is null`,
    },
  );
}

/**
 * Makes the cards of an incident due, and the messages of the storms that it is part of.
 *
 * @param incidentId an expression; null: of none
 * @param releases whether to ask again until when held cards are held
 */
export function redrawCards(incidentId: RawBuilder<unknown>, urgency: Urgency, releases = false): RawBuilder<unknown> {
  return redraw(
    sql<boolean>`(kind = 'card' and subject = (${incidentId}))
      or (${STORM_GOES_ON} and id in (
        select storm_id from messages where kind = 'card' and subject = (${incidentId})))`,
    urgency,
    { releases },
  );
}

/** Makes the cards of open incidents due, and the storms that go on: they show whether the data is stale. */
export function redrawOpenCards(): RawBuilder<unknown> {
  return redraw(
    sql<boolean>`kind = 'card' and subject = any(${OPEN})
      or ${STORM_GOES_ON}`,
    URGENCY.count,
  );
}

/** Adds the card of an incident in one more channel, where no rule wants it. */
export async function placeCard(tx: Kysely<Tables>, incidentId: IncidentId, channelId: ChannelId): Promise<void> {
  await tx
    .insertInto('channels')
    .values({ channel_id: channelId, subscribed_as: null, next_audit_at: null, audited_until: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const card = sql`(select ${channelId}::text as channel_id, ${incidentId}::text as incident_id,
    null::timestamptz as held_until)`;
  await insertCards(card, URGENCY.person).execute(tx);
}

/**
 * Stores what a card shows, makes a reply in its thread due if `compare` asks for one, and plans the next reminder. For a
 * new message, what it shows counts as reported.
 *
 * @param compare receives what the thread has reported
 * @param remind receives what the thread was reminded of, and returns when the next reminder is due; null: none is
 */
export function recordShown(
  card: Message,
  ts: string,
  shown: Facts,
  compare: (told: Facts) => { told: Facts; isReplyDue: boolean },
  remind: (reminded: Reminded) => Date | null = () => null,
): Writes {
  return async (tx, stored) => {
    const data = CARD_DATA.parse(stored);
    const { told: before } = data;
    const { placeId, subject } = card;
    const isNew = card.ts !== ts || before === undefined;
    const { told, isReplyDue } = isNew ? { told: shown, isReplyDue: false } : compare(before);
    const reminded = remindedOf(data, shown);
    await sql`
      ${prepared('card-shown')}
      update messages set data = data || ${JSON.stringify({ shown, told, reminded })}::jsonb where id = ${card.id}`.execute(
      tx,
    );
    if (card.ts !== ts) {
      await forgetOtherThreads(card, ts)(tx, data);
      await moveNotices(card, ts)(tx, data);
    }
    if (isReplyDue) {
      const columns = {
        channel_id: placeId,
        thread_ts: ts,
        subject,
        retry_at: fromNow(REPLY_DEBOUNCE_MS),
      };
      const reply = insertMessages('reply', URGENCY.reply, columns, { onConflict: DRAW_AGAIN });
      await sql`${prepared('reply-due')} ${reply}`.execute(tx);
    }
    const dueAt = remind(reminded);
    if (dueAt !== null) {
      await scheduleReminder(card, ts, dueAt)(tx, data);
    }
  };
}

/** An incident that is open again is reminded of again. */
function remindedOf({ shown: before, reminded = NOT_REMINDED }: MessageData<'card'>, shown: Facts): Reminded {
  const isReopened = before?.status === 'closed' && shown.status === 'open';
  const acknowledgedWith = isAcknowledged(shown) ? (reminded.acknowledgedWith ?? shown.signal_count) : null;
  return { sent: isReopened ? [] : reminded.sent, acknowledgedWith };
}

/** Stores what the thread of a card has reported so far. */
export function recordTold(reply: Message, told: Facts): Writes {
  return async (tx) => {
    await sql`
      update messages set data = data || ${JSON.stringify({ told })}::jsonb
      where kind = 'card' and subject = ${reply.subject} and channel_id = ${reply.placeId}
        and ts = ${reply.threadTs}`.execute(tx);
  };
}
