import { type Kysely, sql } from 'kysely';
import { fromNow } from '../../database/lease.ts';
import { prepared } from '../../database/prepared.ts';
import type { PlaceId } from '../domain/identifiers.ts';
import { MESSAGE_DATA, type Message, type MessageData } from '../domain/message.ts';
import { NOT_REMINDED, type Reminded, type SentReminder } from '../domain/reminder.ts';
import { URGENCY } from '../domain/urgency.ts';
import { LONGEST_HOLD_MS } from './due.ts';
import { insertMessages } from './insert-messages.ts';
import type { Writes } from './messages.ts';
import type { Tables } from './tables.ts';

export interface RemindedOf {
  readonly of: 'card' | 'storm';
  /** Whether the card belongs to a storm that has not ended. */
  readonly isInStorm: boolean;
}

export interface ReminderStore {
  /** The reminders that the thread has had; null: it no longer belongs to the card or storm message. */
  find(reminder: Message): Promise<(Reminded & RemindedOf) | null>;
  /** Slack user id of the person with this name at the service; null: unknown. */
  slackUserOf(name: string): Promise<string | null>;
}

export function createReminderStore(db: Kysely<Tables>): ReminderStore {
  return {
    async find({ subject, placeId, threadTs }) {
      const row = await db
        .selectFrom('messages')
        .select(['kind', 'data'])
        .select(
          sql<boolean>`exists (
            select from messages as storm where storm.id = messages.storm_id and storm.data->>'endedAt' is null)`.as(
            'is_in_storm',
          ),
        )
        .where('kind', 'in', ['card', 'storm'])
        .where('subject', '=', subject)
        .where('channel_id', '=', placeId)
        .where('ts', '=', threadTs)
        .executeTakeFirst();
      return row === undefined
        ? null
        : {
            ...(MESSAGE_DATA[row.kind === 'storm' ? 'storm' : 'card'].parse(row.data).reminded ?? NOT_REMINDED),
            of: row.kind === 'storm' ? 'storm' : 'card',
            isInStorm: row.is_in_storm,
          };
    },

    async slackUserOf(name) {
      const row = await db
        .selectFrom('people')
        .select('slack_user_id')
        .where('name', '=', name)
        .orderBy('looked_up_at', 'desc')
        .executeTakeFirst();
      return row?.slack_user_id ?? null;
    },
  };
}

/** Stores that a reminder was sent, once per name. */
export function recordSentReminder({ subject, placeId, threadTs }: Message, sent: SentReminder): Writes {
  return async (tx) => {
    await sql`
      update messages set data = jsonb_set(data, '{reminded}', coalesce(data->'reminded', ${JSON.stringify(NOT_REMINDED)}::jsonb)
        || jsonb_build_object('sent', coalesce(data->'reminded'->'sent', '[]') || ${JSON.stringify([sent])}::jsonb))
      where kind in ('card', 'storm') and subject = ${subject} and channel_id = ${placeId} and ts = ${threadTs}
        and not coalesce(data->'reminded'->'sent', '[]') @> ${JSON.stringify([{ name: sent.name }])}::jsonb`.execute(
      tx,
    );
  };
}

/**
 * Adds a message about an incident or a storm in other places, once in each.
 *
 * @param placeIds channels and people
 * @param data.dueAt the message is held until a later poll confirms that it is still true
 */
export function insertAlerts(subject: string, placeIds: readonly PlaceId[], data: MessageData<'alert'>): Writes {
  return async (tx) => {
    await sql`
      insert into channels (channel_id) select unnest(${placeIds}::text[]) on conflict do nothing`.execute(tx);
    await insertMessages(
      'alert',
      URGENCY.opened,
      { channel_id: sql`place`, subject, data: sql`${JSON.stringify(data)}::jsonb` },
      { from: sql`unnest(${placeIds}::text[]) as place` },
    ).execute(tx);
  };
}

/** Holds the reminder of a card or storm message until it is due. */
export function scheduleReminder({ subject, placeId }: Message, ts: string, dueAt: Date): Writes {
  const until = sql`least(${dueAt}::timestamptz, ${fromNow(LONGEST_HOLD_MS)})`;
  return async (tx) => {
    const reminder = insertMessages(
      'reminder',
      URGENCY.state,
      { channel_id: placeId, thread_ts: ts, subject, held_until: until },
      {
        onConflict: sql`update
          set revision = messages.revision + 1, needs_redraw = true, held_until = excluded.held_until
          where messages.held_until is distinct from excluded.held_until`,
      },
    );
    await sql`${prepared('schedule-reminder')} ${reminder}`.execute(tx);
  };
}

/** Makes a planned reminder due, so that it is dropped if it is not needed any more. */
export function releaseReminder({ subject, placeId }: Message, ts: string): Writes {
  return async (tx) => {
    await sql`
      update messages set revision = revision + 1, held_until = null, needs_redraw = true
      where held_until is not null and kind = 'reminder' and subject = ${subject} and channel_id = ${placeId} and thread_ts = ${ts}`.execute(
      tx,
    );
  };
}

/** Deletes the replies and reminders for former threads of a message that was posted again. */
export function forgetOtherThreads({ subject, placeId }: Message, ts: string): Writes {
  return async (tx) => {
    await sql`
      delete from messages
      where kind in ('reply', 'reminder') and subject = ${subject} and channel_id = ${placeId} and thread_ts <> ${ts}`.execute(
      tx,
    );
  };
}
