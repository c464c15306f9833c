import { type Kysely, sql } from 'kysely';
import type { Snapshot } from '../../incident/snapshot.ts';
import { WORST } from '../../incident/worst-first.ts';
import type { Message } from '../../messages/message.ts';
import type { Writes } from '../../messages/message-store.ts';
import type { ChannelId, IncidentId, StormId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';
import type { SentReminder } from '../reminders/reminder.ts';
import { forgetOtherThreads, releaseReminder, scheduleReminder } from '../reminders/reminders.ts';
import type { StormMember } from '../reminders/storm-reminder.ts';
import type { Storm, StormKey, StormRules, StormSummary } from './storm.ts';
import { MEMBERS, ofStorm, STORM_DATA, toStorm } from './storm-members.ts';
import { advanceStorms } from './storm-phases.ts';

export interface StormStore {
  /** Starts, calms and ends storms of the channel by the rules, and withholds or releases cards. */
  advance(channelId: ChannelId, rules: StormRules): Promise<void>;
  find(stormId: StormId): Promise<Storm | null>;
  summary(storm: Storm): Promise<StormSummary>;
  /** Ids of open, unacknowledged incidents of a group, or of all, in the order of the list, at most `limit`. */
  unacknowledged(stormId: StormId, key: StormKey | null, limit: number): Promise<string[]>;
  countMembers(stormId: StormId): Promise<number>;
  /** The open incidents: those without a card of their own, and those whose card was posted before the storm started. */
  open(stormId: StormId): Promise<StormMember[]>;
  /** Ids of the incidents, open ones first, of these the worst first, then by age. */
  members(stormId: StormId, page: { offset: number; limit: number }): Promise<string[]>;
}

/** Incidents that a group names; it counts the rest. */
const NAMED = 4;

/** What fails, without the names and numbers that tell one host from the next. */
const FAILURE = sql`regexp_replace(ltrim(replace(coalesce(i.incident->>'title', ''), i.root_service, ''), ': '), '\\d+', '#', 'g')`;

/** The incidents of a storm with what they share: the failure, if several have it; else the service. */
const keyed = (stormId: StormId) => sql`(
  select *, case when is_shared then 'failure' else 'service' end as "by",
    case when is_shared then failure else root_service end as value
  from (
    select incident, incident_id, root_service, is_open, is_acknowledged, failure,
      failure <> '' and count(*) over (partition by failure) > 1 as is_shared,
      row_number() over (order by is_open desc, ${WORST}) as place
    from (select i.*, ${FAILURE} as failure from ${MEMBERS} where ${ofStorm(stormId)}) as member
  ) as placed) as keyed`;

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
      return row === undefined ? null : toStorm(stormId, row.channel_id, STORM_DATA.parse(row.data));
    },

    async summary({ id, startedAt, calmAt, endedAt }) {
      const { rows } = await sql<
        Record<'incidents' | 'open' | 'unacknowledged' | 'services', string> & StormKey & { named: Snapshot[] }
      >`
        select "by", value,
          count(*) as incidents,
          count(*) filter (where is_open) as open,
          count(*) filter (where is_open and not is_acknowledged) as unacknowledged,
          count(distinct root_service) as services,
          to_json((array_agg(incident order by place))[1:${NAMED}]) as named
        from ${keyed(id)} group by 1, 2 order by min(place)`.execute(db);
      const groups = rows.map(({ by, value, named, ...counts }) => ({
        key: { by, value },
        incidents: Number(counts.incidents),
        open: Number(counts.open),
        unacknowledged: Number(counts.unacknowledged),
        services: Number(counts.services),
        named,
      }));
      return { id, startedAt, calmAt, endedAt, groups };
    },

    unacknowledged: (stormId, key, limit) =>
      idsOf(sql`
        select incident_id from ${keyed(stormId)}
        where is_open and not is_acknowledged
          and ${key === null ? sql`true` : sql`"by" = ${key.by} and value = ${key.value}`}
        order by place limit ${limit}`),

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
        select incident_id from ${keyed(stormId)} order by place limit ${limit} offset ${offset}`),
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
    const dueAt = remind(STORM_DATA.parse(data).reminded?.sent ?? []);
    await (dueAt === null ? releaseReminder(storm, ts) : scheduleReminder(storm, ts, dueAt))(tx, data);
  };
}
