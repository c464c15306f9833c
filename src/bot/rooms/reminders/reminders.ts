import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { fromNow } from '../../../database/lease.ts';
import { prepared } from '../../../database/prepared.ts';
import { URGENCY } from '../../incident/urgency.ts';
import { LONGEST_HOLD_MS } from '../../messages/due.ts';
import { insertMessages } from '../../messages/insert-messages.ts';
import type { Message, MessageData } from '../../messages/message.ts';
import type { Writes } from '../../messages/message-store.ts';
import type { ChannelId, PlaceId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';
import { NOT_REMINDED, type Reminded, type SentReminder, STORED_NAME, STORED_REMINDED } from './reminder.ts';

/** A reminder that may have been posted. */
export const TRIED_REMINDER = z.object({ name: STORED_NAME, at: z.string(), placeIds: z.array(z.string()) });
/** When it became due, and what its subject is. */
export const ALERT_DATA = z.object({
  dueAt: z.string().default(new Date(0).toISOString()),
  about: z.enum(['card', 'storm']).default('card'),
});
const REMINDED_DATA = z.object({ reminded: STORED_REMINDED.optional() });

declare module '../../messages/message.ts' {
  interface MessageTypes {
    /** About an incident or a storm. */
    reminder: {
      placeId: ChannelId;
      subject: string;
      data: unknown;
      attemptData: z.infer<typeof TRIED_REMINDER> | null;
    };
    /** The same, for a person or another channel. */
    alert: { placeId: PlaceId; subject: string; data: z.infer<typeof ALERT_DATA>; attemptData: null };
  }
}

export interface RemindedOf {
  readonly of: 'card' | 'storm';
  /** false: the message was posted again, and the thread belongs to the one that was deleted. */
  readonly isCurrent: boolean;
  /** A reminder may have been posted in the thread of a message that was deleted. */
  readonly isUnclearElsewhere: boolean;
  /** Whether the card belongs to a storm that has not ended. */
  readonly isInStorm: boolean;
}

export interface ReminderStore {
  /** The reminders that the threads of the card or storm message have had; null: there is no such message. */
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
        .select(sql<boolean>`coalesce(ts = ${threadTs}, false)`.as('is_current'))
        .select(
          sql<boolean>`exists (
            select from messages as other where other.kind = 'reminder' and other.subject = ${subject}
              and other.channel_id = ${placeId} and other.thread_ts <> ${threadTs} and other.attempt_id is not null)`.as(
            'is_unclear_elsewhere',
          ),
        )
        .select(
          sql<boolean>`exists (
            select from messages as storm where storm.id = messages.storm_id and storm.data->>'endedAt' is null)`.as(
            'is_in_storm',
          ),
        )
        .where('kind', 'in', ['card', 'storm'])
        .where('subject', '=', subject)
        .where('channel_id', '=', placeId)
        .executeTakeFirst();
      return row === undefined
        ? null
        : {
            ...(REMINDED_DATA.parse(row.data).reminded ?? NOT_REMINDED),
            of: row.kind === 'storm' ? 'storm' : 'card',
            isCurrent: row.is_current,
            isUnclearElsewhere: row.is_unclear_elsewhere,
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

/** Stores that a reminder was sent, once per name, also if its card or storm message was posted again since. */
export function recordSentReminder({ subject, placeId }: Message, sent: SentReminder): Writes {
  return async (tx) => {
    await sql`
      update messages set data = jsonb_set(data, '{reminded}', coalesce(data->'reminded', ${JSON.stringify(NOT_REMINDED)}::jsonb)
        || jsonb_build_object('sent', coalesce(data->'reminded'->'sent', '[]') || ${JSON.stringify([sent])}::jsonb))
      where kind in ('card', 'storm') and subject = ${subject} and channel_id = ${placeId}
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

/**
 * Deletes the replies and reminders for former threads of a message that was posted again. A reminder that may have been
 * posted stays until that is clear, so that the new thread does not repeat it.
 */
export function forgetOtherThreads({ subject, placeId }: Message, ts: string): Writes {
  return async (tx) => {
    await sql`
      delete from messages
      where kind in ('reply', 'reminder') and subject = ${subject} and channel_id = ${placeId} and thread_ts <> ${ts}
        and not (kind = 'reminder' and attempt_id is not null)`.execute(tx);
  };
}
