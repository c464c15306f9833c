import { type Generated, type Kysely, sql, type Transaction } from 'kysely';
import { bringForward, keepEffects, type NewEffect } from '../../../effects/new-effects.ts';
import { batched } from '../../../runtime/batched.ts';
import { minutesToMilliseconds } from '../../../runtime/dates.ts';
import { tellPerson } from '../../messages/notices.ts';
import type { ChannelId, SlackUserId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';
import { alertsIn, type SaidAlert } from './alerts-in.ts';
import type { ToolMessage } from './tool-message.ts';

declare module '../../tables.ts' {
  interface Tables {
    /** Apps whose messages in a channel are failures. */
    readings: {
      id: Generated<string>;
      channel_id: ChannelId;
      bot_id: string;
      bot_name: string;
      /** null: the service has not made one yet. */
      integration_id: string | null;
      created_by: SlackUserId;
      created_at: Generated<Date>;
    };
    /** What they said, for 30 days, so that it is sent once and an edit is known as one. */
    read_messages: {
      seq: Generated<string>;
      reading_id: string;
      ts: string;
      said_at: string;
      thread_ts: string | null;
      alerts: SaidAlert[];
      /** null: not asked for yet; empty: Slack has none. */
      permalink: string | null;
      /** The first of those that are sent in one request; null: none was tried. */
      batch: string | null;
      sent_at: Date | null;
      kept_at: Generated<Date>;
    };
  }
}

/** Sends what an app said to the service. */
export const READ = 'read messages';
/** Reads what was missed. */
export const CATCH_UP = 'missed messages';
export const CATCH_UP_MS = minutesToMilliseconds(5);

/** Alerts of several messages that are sent in one request. */
export const MOST_TOGETHER = 10;

/** The messages of an app in a channel are failures. */
export interface Reading {
  readonly id: string;
  readonly channelId: ChannelId;
  readonly botId: string;
  readonly botName: string;
  /** Of the service; null: there is none yet. */
  readonly integrationId: string | null;
  readonly createdBy: SlackUserId;
  readonly createdAt: Date;
}

/** A message that the service does not have yet. */
export interface UnsentMessage {
  readonly seq: string;
  /** The message that began it: of an edit itself, of a reply the one of its thread. */
  readonly firstTs: string;
  readonly ts: string;
  readonly saidAt: string;
  readonly change: 'post' | 'edit' | 'reply';
  readonly alerts: readonly SaidAlert[];
  /** What the first one said. */
  readonly first: readonly SaidAlert[];
  readonly permalink: string | null;
}

export interface ReadingStore {
  /** Of a channel, oldest first. */
  ofChannel(channelId: ChannelId): Promise<Reading[]>;
  find(id: string): Promise<Reading | null>;
  /** Messages of the app are failures from now on. One that is read already stays as it is. */
  start(reading: Pick<Reading, 'channelId' | 'botId' | 'botName' | 'createdBy'>): Promise<Reading>;
  /** Looks now for what was missed. */
  catchUp(): Promise<void>;
  /** @returns null: it was not read */
  stop(id: string): Promise<Reading | null>;
  setIntegration(id: string, integrationId: string): Promise<void>;
  /**
   * Keeps what an app said, if its messages are read and it says something new. A reply counts for the message of its thread, if
   * that was read.
   *
   * @returns whether something is to be sent
   */
  keep(message: ToolMessage): Promise<boolean>;
  /**
   * The oldest that are not sent, of at most ten alerts together, or one message. They are the same until they are marked.
   *
   * @returns empty: all are sent
   */
  next(readingId: string): Promise<UnsentMessage[]>;
  setPermalink(seq: string, permalink: string): Promise<void>;
  markSent(messages: readonly Pick<UnsentMessage, 'seq'>[]): Promise<void>;
}

const READING = sql`id, channel_id as "channelId", bot_id as "botId", bot_name as "botName",
  integration_id as "integrationId", created_by as "createdBy", created_at as "createdAt"`;

export function createReadingStore(db: Kysely<Tables>): ReadingStore {
  return {
    async ofChannel(channelId) {
      const { rows } = await sql<Reading>`
        select ${READING} from readings where channel_id = ${channelId} order by created_at, id`.execute(db);
      return rows;
    },

    async find(id) {
      const { rows } = await sql<Reading>`select ${READING} from readings where id = ${id}`.execute(db);
      return rows[0] ?? null;
    },

    start: ({ channelId, botId, botName, createdBy }) =>
      db.transaction().execute(async (tx) => {
        await sql`insert into channels (channel_id) values (${channelId}) on conflict do nothing`.execute(tx);
        const { rows } = await sql<Reading>`
          insert into readings (channel_id, bot_id, bot_name, created_by)
          values (${channelId}, ${botId}, ${botName}, ${createdBy})
          on conflict (channel_id, bot_id) do update set bot_name = excluded.bot_name
          returning ${READING}`.execute(tx);
        const [reading] = rows as [Reading]; // inserted or updated
        await keepEffects(tx, [sending(reading.id, '0'), { ...catchingUp(reading.id), dueInMs: CATCH_UP_MS }]);
        return reading;
      }),

    async catchUp() {
      const rows = await db.selectFrom('readings').select('id').execute();
      await db.transaction().execute(async (tx) => {
        for (const { id } of rows) {
          await bringForward(tx, catchingUp(id));
        }
      });
    },

    stop: (id) => stopReading(db, id),

    async setIntegration(id, integrationId) {
      await db.updateTable('readings').set({ integration_id: integrationId }).where('id', '=', id).execute();
    },

    // One after the other, as they came: each would be sent at once, an end before its failure.
    keep: batched((all) => db.transaction().execute((tx) => keepMessages(tx, all))),

    async next(readingId) {
      const { rows } = await sql<UnsentMessage>`
        with unsent as (
          select seq, batch, row_number() over (order by batch, said_at, seq) = 1 as is_first,
            sum(jsonb_array_length(alerts)) over (order by batch, said_at, seq) as together
          from read_messages where reading_id = ${readingId} and sent_at is null
          order by batch, said_at, seq limit ${MOST_TOGETHER}
        ), oldest as (
          select seq, batch from unsent where is_first
        ), chosen as (
          update read_messages set batch = oldest.seq from unsent, oldest
          where read_messages.seq = unsent.seq and (
            unsent.batch = oldest.batch or oldest.batch is null and (is_first or together <= ${MOST_TOGETHER}))
          returning read_messages.*
        )
        select next.seq, first.ts as "firstTs", next.ts, next.said_at as "saidAt", next.alerts, first.alerts as first,
          next.permalink, case when next.thread_ts is not null then 'reply' when first.seq <> next.seq then 'edit' else 'post' end
            as change
        from chosen as next join lateral (
          select seq, ts, alerts from read_messages
          where reading_id = next.reading_id and ts = coalesce(next.thread_ts, next.ts) order by said_at, seq limit 1
        ) as first on true
        order by next.said_at, next.seq`.execute(db);
      return rows;
    },

    async setPermalink(seq, permalink) {
      await db.updateTable('read_messages').set({ permalink }).where('seq', '=', seq).execute();
    },

    async markSent(messages) {
      const seqs = messages.map(({ seq }) => seq);
      await db.updateTable('read_messages').set({ sent_at: sql`clock_now()` }).where('seq', 'in', seqs).execute();
    },
  };
}

function catchingUp(readingId: string): NewEffect {
  return { kind: CATCH_UP, subject: readingId, lane: readingId, data: {} };
}

/** Due again with each message. */
function sending(readingId: string, newest: string): NewEffect {
  return { kind: READ, subject: readingId, lane: readingId, data: { newest }, replaces: true };
}

/** The rules are locked, so that another process keeps nothing of them meanwhile. */
async function keepMessages(tx: Transaction<Tables>, all: readonly ToolMessage[]): Promise<boolean[]> {
  const [channels, bots] = [all.map(({ channelId }) => channelId), all.map(({ botId }) => botId)];
  const { rows: readings } = await sql<Pick<Reading, 'id' | 'channelId' | 'botId'>>`
    select id, channel_id as "channelId", bot_id as "botId" from readings
    where (channel_id, bot_id) in (select * from unnest(${channels}::text[], ${bots}::text[])) order by id for update`.execute(
    tx,
  );
  const kept: boolean[] = [];
  for (const said of all) {
    const reading = readings.find(({ channelId, botId }) => channelId === said.channelId && botId === said.botId);
    kept.push(reading !== undefined && (await keepMessage(tx, reading.id, said)));
  }
  return kept;
}

async function keepMessage(tx: Transaction<Tables>, readingId: string, said: ToolMessage): Promise<boolean> {
  const { ts, saidAt, threadTs } = said;
  const alerts = alertsIn(said.message);
  if (alerts.length === 0) {
    return false;
  }
  const { rows } = await sql<{ seq: string }>`
    insert into read_messages (reading_id, ts, said_at, thread_ts, alerts)
    select ${readingId}::uuid, ${ts}, ${saidAt}, ${threadTs}, given.alerts from (select ${JSON.stringify(alerts)}::jsonb as alerts) as given
    where not exists (
      select from (
        select said_at, alerts from read_messages where reading_id = ${readingId} and ts = ${ts} order by seq desc limit 1
      ) as newest where newest.said_at >= ${saidAt} or newest.alerts = given.alerts
    ) and (${threadTs}::text is null or exists (
      select from read_messages where reading_id = ${readingId} and ts = ${threadTs} and thread_ts is null))
    returning seq`.execute(tx);
  await keepEffects(
    tx,
    rows.map(({ seq }) => sending(readingId, seq)),
  );
  return rows.length > 0;
}

/** @param why tells who made it, in mrkdwn; absent: they know */
export async function stopReading(
  db: Kysely<Tables>,
  id: string,
  why?: (of: Reading) => string,
): Promise<Reading | null> {
  const { rows } = await sql<Reading>`delete from readings where id::text = ${id} returning ${READING}`.execute(db);
  const [stopped = null] = rows;
  if (stopped !== null && why !== undefined) {
    await tellPerson(db, `reading ${id}`, stopped.createdBy, why(stopped));
  }
  return stopped;
}
