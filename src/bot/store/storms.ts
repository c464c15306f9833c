import { type Kysely, sql } from 'kysely';
import { type Incident, Severity } from '../../contract/resources.ts';
import type { ChannelId, IncidentId, StormId } from '../domain/identifiers.ts';
import { MESSAGE_DATA, type Message } from '../domain/message.ts';
import type { SentReminder } from '../domain/reminder.ts';
import type { Storm, StormRules, StormService, StormSummary } from '../domain/storm.ts';
import type { StormMember } from '../domain/storm-reminder.ts';
import type { Writes } from './messages.ts';
import { forgetOtherThreads, releaseReminder, scheduleReminder } from './reminders.ts';
import { MEMBERS, ofStorm, toStorm } from './storm-members.ts';
import { advanceStorms } from './storm-phases.ts';
import type { Tables } from './tables.ts';

export interface StormStore {
  /** Starts, calms and ends storms of the channel by the rules, and withholds or releases cards. */
  advance(channelId: ChannelId, rules: StormRules): Promise<void>;
  find(stormId: StormId): Promise<Storm | null>;
  summary(storm: Storm): Promise<StormSummary>;
  /** Ids of open, unacknowledged incidents with that root service, oldest first, at most `limit`. */
  unacknowledged(stormId: StormId, service: string, limit: number): Promise<string[]>;
  countMembers(stormId: StormId): Promise<number>;
  /** The open incidents: those without a card of their own, and those whose card was posted before the storm started. */
  open(stormId: StormId): Promise<StormMember[]>;
  /** Ids of the incidents, unacknowledged ones first, of these the worst first, then by age. */
  members(stormId: StormId, page: { offset: number; limit: number }): Promise<string[]>;
}

/** 1 is the worst; incidents without a severity are last. */
const RANK = sql<number>`coalesce(array_position(${Severity.options}::text[], i.incident->>'severity'), 9)`;

export function createStormStore(db: Kysely<Tables>): StormStore {
  async function idsOf(query: ReturnType<typeof sql<{ incident_id: IncidentId }>>): Promise<string[]> {
    const { rows } = await query.execute(db);
    return rows.map((row) => row.incident_id);
  }

  return {
    advance: (channelId, rules) => db.transaction().execute((tx) => advanceStorms(tx, channelId, rules)),

    async find(stormId) {
      const row = await db
        .selectFrom('messages')
        .select(['data', sql<ChannelId>`channel_id`.as('channel_id')])
        .where('kind', '=', 'storm')
        .where('subject', '=', stormId)
        .executeTakeFirst();
      return row === undefined ? null : toStorm(stormId, row.channel_id, MESSAGE_DATA.storm.parse(row.data));
    },

    async summary({ id, startedAt, calmAt, endedAt }) {
      const { rows } = await sql<
        Record<'incidents' | 'open' | 'unacknowledged' | 'signals' | 'trace' | 'metric' | 'log', string> & {
          service: string;
          is_counted: boolean;
          worst: number | null;
          title: string | null;
        }
      >`
        select i.root_service as service,
          count(*) as incidents,
          count(*) filter (where i.is_open) as open,
          count(*) filter (where i.is_open and not i.is_acknowledged) as unacknowledged,
          sum((i.incident->>'signal_count')::bigint) as signals,
          coalesce(sum((i.incident->'signals_by_type'->>'trace')::bigint), 0) as trace,
          coalesce(sum((i.incident->'signals_by_type'->>'metric')::bigint), 0) as metric,
          coalesce(sum((i.incident->'signals_by_type'->>'log')::bigint), 0) as log,
          bool_and(i.incident ? 'signals_by_type') as is_counted,
          min(${RANK}) filter (where i.is_open and not i.is_acknowledged) as worst,
          (array_agg(i.incident->>'title'
            order by i.is_open desc, i.is_acknowledged, ${RANK}, i.opened_at, i.incident_id))[1] as title
        from ${MEMBERS} where ${ofStorm(id)}
        group by 1
        order by worst nulls last, 4 desc, 3 desc, 2 desc, 1`.execute(db);
      const services: StormService[] = rows.map((row) => ({
        service: row.service,
        incidents: Number(row.incidents),
        open: Number(row.open),
        unacknowledged: Number(row.unacknowledged),
        worst: Severity.options[(row.worst ?? 0) - 1] ?? null,
        title: row.title,
        signals: Number(row.signals),
        byType: row.is_counted ? { trace: Number(row.trace), metric: Number(row.metric), log: Number(row.log) } : null,
      }));
      const { rows: first } = await sql<{ incident: Incident }>`
        select i.incident from ${MEMBERS}
        where ${ofStorm(id)} and i.is_open and not i.is_acknowledged
        order by ${RANK}, i.opened_at, i.incident_id limit 1`.execute(db);
      return { id, startedAt, calmAt, endedAt, services, first: first[0]?.incident ?? null };
    },

    unacknowledged: (stormId, service, limit) =>
      idsOf(sql`
        select i.incident_id from ${MEMBERS}
        where ${ofStorm(stormId)} and i.root_service = ${service} and i.is_open and not i.is_acknowledged
        order by i.opened_at, i.incident_id limit ${limit}`),

    async countMembers(stormId) {
      const { rows } = await sql<{ count: string }>`
        select count(*) from messages as card where ${ofStorm(stormId)}`.execute(db);
      return Number(rows[0]?.count ?? 0);
    },

    async open(stormId) {
      const { rows } = await sql<StormMember>`
        select i.incident, i.is_unread as "isUnread", exists (
          select from actions
          where actions.incident_id = i.incident_id and settled_at is null and attempts > 0) as "isWaiting"
        from ${MEMBERS} where ${ofStorm(stormId)} and i.is_open`.execute(db);
      return rows;
    },

    members: (stormId, { offset, limit }) =>
      idsOf(sql`
        select i.incident_id from ${MEMBERS}
        where ${ofStorm(stormId)}
        order by i.is_open desc, i.is_acknowledged, ${RANK}, i.opened_at, i.incident_id
        limit ${limit} offset ${offset}`),
  };
}

/**
 * Plans the next reminder in the thread of a storm message, or takes the planned one back: the storm does not end while
 * one is planned.
 *
 * @param remind receives what the thread was reminded of, and returns when the next reminder is due; null: none is
 */
export function recordStormShown(
  storm: Message,
  ts: string,
  remind: (sent: readonly SentReminder[]) => Date | null,
): Writes {
  return async (tx, data) => {
    if (storm.ts !== ts) {
      await forgetOtherThreads(storm, ts)(tx, data);
    }
    const dueAt = remind(MESSAGE_DATA.storm.parse(data).reminded?.sent ?? []);
    await (dueAt === null ? releaseReminder(storm, ts) : scheduleReminder(storm, ts, dueAt))(tx, data);
  };
}
