import { type Kysely, sql, type Transaction } from 'kysely';
import { type Incident, Severity } from '../../contract/resources.ts';
import { fromNow, isDue } from '../../database/lease.ts';
import type { ChannelId, IncidentId, StormId } from '../domain/identifiers.ts';
import { MESSAGE_DATA, type Message, type MessageData } from '../domain/message.ts';
import { NOT_REMINDED, type SentReminder } from '../domain/reminder.ts';
import {
  decideStorm,
  isStormOver,
  type NewIncidents,
  type Storm,
  type StormDecision,
  type StormRules,
  type StormService,
  type StormSummary,
} from '../domain/storm.ts';
import { type StormMember, stepsAfterStorm, stepsOf } from '../domain/storm-reminder.ts';
import { URGENCY } from '../domain/urgency.ts';
import { LEASE_MS, redraw } from './due.ts';
import { insertMessages } from './insert-messages.ts';
import type { Writes } from './messages.ts';
import { forgetOtherThreads, releaseReminder, scheduleReminder } from './reminders.ts';
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

const MEMBERS = sql`messages as card join incidents as i on i.incident_id = card.subject`;
/** 1 is the worst; incidents without a severity are last. */
const RANK = sql<number>`coalesce(array_position(${Severity.options}::text[], i.incident->>'severity'), 9)`;
const ofStorm = (stormId: StormId) => sql<boolean>`card.storm_id = ${stormId} and card.kind = 'card'`;

export function createStormStore(db: Kysely<Tables>): StormStore {
  async function idsOf(query: ReturnType<typeof sql<{ incident_id: IncidentId }>>): Promise<string[]> {
    const { rows } = await query.execute(db);
    return rows.map((row) => row.incident_id);
  }

  return {
    advance: (channelId, rules) =>
      db.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(${`storm ${channelId}`}, 0))`.execute(tx);
        const gathering = await findGathering(tx, channelId);
        const decision = decideStorm(rules, gathering !== null, await countNew(tx, channelId, rules));
        await carryOut(tx, channelId, decision, gathering, rules);
        await endStorms(tx, channelId, rules);
      }),

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

export function toStorm(
  id: StormId,
  channelId: ChannelId,
  { startedAt, calmAt, endedAt }: MessageData<'storm'>,
): Storm {
  const moment = (at: string | null | undefined) => (at === null || at === undefined ? null : new Date(at));
  return {
    id,
    channelId,
    startedAt: new Date(startedAt ?? 0),
    calmAt: moment(calmAt),
    endedAt: moment(endedAt),
  };
}

async function findGathering(tx: Transaction<Tables>, channelId: ChannelId): Promise<StormId | null> {
  const { rows } = await sql<{ id: StormId }>`
    select id from messages
    where kind = 'storm' and channel_id = ${channelId} and data->>'calmAt' is null`.execute(tx);
  return rows[0]?.id ?? null;
}

async function countNew(tx: Transaction<Tables>, channelId: ChannelId, rules: StormRules): Promise<NewIncidents> {
  const { rows } = await sql<{ in_window: string; recent: string }>`
    select count(*) filter (where created_at > ${fromNow(-rules.windowMs)}) as in_window,
      count(*) filter (where created_at > ${fromNow(-rules.calmMs)}) as recent
    from messages
    where kind = 'card' and channel_id = ${channelId} and held_until is null
      and created_at > ${fromNow(-Math.max(rules.windowMs, rules.calmMs))}`.execute(tx);
  return { inWindow: Number(rows[0]?.in_window ?? 0), recent: Number(rows[0]?.recent ?? 0) };
}

async function carryOut(
  tx: Transaction<Tables>,
  channelId: ChannelId,
  decision: StormDecision,
  gathering: string | null,
  rules: StormRules,
): Promise<void> {
  if (decision === 'none') {
    return;
  }
  const stormId = gathering ?? (await startStorm(tx, channelId, rules));
  await withholdNewCards(tx, channelId, stormId);
  await joinPostedCards(tx, channelId, stormId);
  if (decision === 'calm down') {
    await sql`
      update messages set data = data || jsonb_build_object('calmAt', clock_now()) where id = ${stormId}`.execute(tx);
    await redraw(sql<boolean>`id = ${stormId}`, URGENCY.state).execute(tx);
  }
}

async function startStorm(tx: Transaction<Tables>, channelId: ChannelId, rules: StormRules): Promise<StormId> {
  const storm = insertMessages(
    'storm',
    URGENCY.person,
    {
      id: sql`id`,
      channel_id: channelId,
      subject: sql`id::text`,
      data: sql`jsonb_build_object('startedAt', (
        select coalesce(min(created_at), clock_now()) from messages
        where kind = 'card' and channel_id = ${channelId} and created_at > ${fromNow(-rules.windowMs)}))`,
    },
    { from: sql`gen_random_uuid() as id` },
  );
  const { rows } = await sql<{ id: StormId }>`${storm} returning id`.execute(tx);
  const id = rows[0]?.id;
  if (id === undefined) {
    throw new Error('a storm was not stored');
  }
  return id;
}

/** Withholds cards that were never posted. A process that holds an expired lease on one of them loses it. */
async function withholdNewCards(tx: Transaction<Tables>, channelId: ChannelId, stormId: StormId): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    update messages set storm_id = ${stormId}, is_withheld = true, lease = gen_random_uuid(), leased_until = null
    where kind = 'card' and channel_id = ${channelId} and ts is null and attempt_id is null and storm_id is null
      and shown_at is null and needs_redraw and held_until is null and ${isDue('leased_until', LEASE_MS)}`.execute(tx);
  if (numAffectedRows > 0n) {
    await redraw(sql<boolean>`id = ${stormId}`, URGENCY.state).execute(tx);
  }
}

/**
 * Adds the cards that were posted since the storm began, or may have been. They stay, and their incidents are reminded
 * of in the thread of the storm. Steps that the thread of one of them was reminded of count as steps of the storm.
 */
async function joinPostedCards(tx: Transaction<Tables>, channelId: ChannelId, stormId: StormId): Promise<void> {
  const { rows } = await sql<{ sent: readonly SentReminder[] }>`
    update messages as card set storm_id = ${stormId}
    from messages as storm
    where storm.id = ${stormId} and card.kind = 'card' and card.channel_id = ${channelId} and card.storm_id is null
      and card.held_until is null and card.created_at >= (storm.data->>'startedAt')::timestamptz
    returning coalesce(card.data->'reminded'->'sent', '[]') as sent`.execute(tx);
  if (rows.length === 0) {
    return;
  }
  const [steps = []] = rows.map(({ sent }) => stepsOf(sent)).toSorted((one, other) => other.length - one.length);
  const reminded = JSON.stringify({ reminded: { ...NOT_REMINDED, sent: steps } });
  await sql`
    update messages set data = ${reminded}::jsonb || data where id = ${stormId}`.execute(tx);
  await redraw(sql<boolean>`id = ${stormId}`, URGENCY.state).execute(tx);
}

async function endStorms(tx: Transaction<Tables>, channelId: ChannelId, rules: StormRules): Promise<void> {
  const { rows } = await sql<{ id: StormId; data: unknown; open: string; is_reminding: boolean }>`
    select id, data, (
      select count(*) from ${MEMBERS} where card.storm_id = storm.id and i.is_open) as open, exists (
      select from messages as reminder
      where reminder.kind = 'reminder' and reminder.subject = storm.subject
        and reminder.channel_id = storm.channel_id) as is_reminding
    from messages as storm
    where kind = 'storm' and channel_id = ${channelId} and data->>'endedAt' is null`.execute(tx);
  for (const { id, data, open, is_reminding: isReminding } of rows) {
    const shown = MESSAGE_DATA.storm.parse(data);
    if (isStormOver(rules, toStorm(id, channelId, shown), { open: Number(open), isReminding })) {
      await keepSteps(tx, id, shown.reminded?.sent ?? []);
      await endStorm(tx, id);
    }
  }
}

/** Copies the steps that the storm has sent to its open incidents, whose own reminders continue after these. */
async function keepSteps(tx: Transaction<Tables>, stormId: StormId, sent: readonly SentReminder[]): Promise<void> {
  const { rows } = await sql<{ id: StormId; data: unknown; opened_at: Date }>`
    select card.id, card.data, i.opened_at from ${MEMBERS}
    where ${ofStorm(stormId)} and i.is_open for update of card`.execute(tx);
  for (const { id, data, opened_at: openedAt } of rows) {
    const { reminded = NOT_REMINDED } = MESSAGE_DATA.card.parse(data);
    const kept = JSON.stringify({ reminded: { ...reminded, sent: stepsAfterStorm(reminded.sent, sent, openedAt) } });
    await sql`update messages set data = data || ${kept}::jsonb where id = ${id}`.execute(tx);
  }
}

async function endStorm(tx: Transaction<Tables>, stormId: StormId): Promise<void> {
  await sql`
    update messages set data = data || jsonb_build_object('endedAt', clock_now()) where id = ${stormId}`.execute(tx);
  await redraw(sql<boolean>`id = ${stormId}`, URGENCY.state).execute(tx);
  // Open incidents get their cards now. Closed ones are covered by the storm message unless they open again.
  await sql`
    update messages set is_withheld = false, needs_redraw = i.is_open, due_since = clock_now(),
      urgency = ${URGENCY.opened}, retry_at = null
    from incidents as i
    where storm_id = ${stormId} and kind = 'card' and i.incident_id = subject and (is_withheld or i.is_open)`.execute(
    tx,
  );
}
