import { randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Incident } from '../../contract/resources.ts';
import type { StormRules } from '../board/storm-rules.ts';
import type { StormService, StormSummary } from '../views/storm-card.ts';
import { LANES } from './incidents.ts';
import type { CardMethod } from './limits.ts';
import type { Tables } from './tables.ts';

const LEASE_MS = 30_000;

/** Many new incidents in one channel: one message instead of theirs. */
export interface Storm {
  readonly id: string;
  readonly channelId: string;
  readonly startedAt: Date;
  /** null: new incidents are still withheld. */
  readonly calmAt: Date | null;
  readonly endedAt: Date | null;
  readonly ts: string | null;
  readonly attempt: { readonly id: string; readonly at: Date } | null;
  readonly shownDigest: string | null;
}

export interface StormStore {
  /** Begins, calms and ends storms of that channel by the rules; withholds cards, and releases them. */
  advance(channelId: string, now: Date, rules: StormRules): Promise<void>;
  /** Channels with a storm whose message may have to change. */
  channels(): Promise<string[]>;
  claim(channelId: string, now: Date, paused: readonly CardMethod[]): Promise<Storm | null>;
  beginAttempt(id: string, attemptId: string, at: Date): Promise<void>;
  endAttempt(id: string): Promise<void>;
  forgetMessage(id: string): Promise<void>;
  /** @param isSettled that was its last change */
  markShown(id: string, shown: { ts: string; digest: string; nextAt: Date; isSettled: boolean }): Promise<void>;
  release(id: string, retryAt: Date): Promise<void>;
  summary(storm: Pick<Storm, 'id' | 'startedAt' | 'calmAt' | 'endedAt'>): Promise<StormSummary>;
  find(id: string): Promise<Storm | null>;
  /** Open and not acknowledged, of one root service; oldest first, at most `most`. */
  unacknowledged(id: string, service: string, most: number): Promise<string[]>;
  countMembers(id: string): Promise<number>;
  /** Ids: what needs somebody first, then by age. */
  members(id: string, page: { offset: number; limit: number }): Promise<string[]>;
}

const isOpen = sql<boolean>`(i.status = 'open' and not i.is_gone)`;
/** As a card shows it: what the service tells, else what it confirmed to us. */
const isAcknowledged = sql<boolean>`(case
  when i.snapshot ?| array['acknowledged_at', 'acknowledged_by']
  then coalesce(i.snapshot->>'acknowledged_at', i.snapshot->>'acknowledged_by') is not null
  else i.acknowledged_at is not null end)`;
const openedAt = sql<Date>`(i.snapshot->>'opened_at')::timestamptz`;

export function createStormStore(db: Kysely<Tables>): StormStore {
  const one = (id: string) => db.updateTable('storms').where('id', '=', id);

  return {
    async advance(channelId, now, rules) {
      await db.transaction().execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(${`storm ${channelId}`}, 0))`.execute(trx);
        await gather(trx, channelId, now, rules);
        await end(trx, channelId, now, rules);
      });
    },

    async channels() {
      const rows = await db
        .selectFrom('storms')
        .select('channel_id')
        .distinct()
        .where('settled_at', 'is', null)
        .execute();
      return rows.map((row) => row.channel_id);
    },

    async claim(channelId, now, paused) {
      const may = (method: CardMethod) => !paused.includes(method);
      const { rows } = await sql<Selectable<Tables['storms']>>`
        update storms set leased_until = ${new Date(now.getTime() + LEASE_MS)}
        where id = (
          select id from storms
          where channel_id = ${channelId}
            and settled_at is null
            and next_attempt_at <= ${now}
            and (leased_until is null or leased_until <= ${now})
            and (ts is null or ${may('chat.update')})
            and (ts is not null or ${may('chat.postMessage')})
            and (ts is not null or attempt_id is null or ${may('conversations.history')})
          order by started_at
          limit 1
          for update skip locked)
        returning *`.execute(db);
      return rows[0] === undefined ? null : toStorm(rows[0]);
    },

    async beginAttempt(id, attemptId, at) {
      await one(id).set({ attempt_id: attemptId, attempt_at: at }).execute();
    },

    async endAttempt(id) {
      await one(id).set({ attempt_id: null, attempt_at: null }).execute();
    },

    async forgetMessage(id) {
      await one(id).set({ ts: null, shown_digest: null, leased_until: null }).execute();
    },

    async markShown(id, { ts, digest, nextAt, isSettled }) {
      await one(id)
        .set({
          ts,
          shown_digest: digest,
          attempt_id: null,
          attempt_at: null,
          leased_until: null,
          next_attempt_at: nextAt,
          settled_at: isSettled ? nextAt : null,
        })
        .execute();
    },

    async release(id, retryAt) {
      await one(id).set({ next_attempt_at: retryAt, leased_until: null }).execute();
    },

    async summary(storm) {
      const { rows } = await sql<
        Record<'incidents' | 'open' | 'unacknowledged' | 'signals' | 'trace' | 'metric' | 'log', string> & {
          service: string;
          is_counted: boolean;
        }
      >`
        select i.snapshot->>'root_service' as service,
          count(*) as incidents,
          count(*) filter (where ${isOpen}) as open,
          count(*) filter (where ${isOpen} and not ${isAcknowledged}) as unacknowledged,
          sum((i.snapshot->>'signal_count')::bigint) as signals,
          coalesce(sum((i.snapshot->'signals_by_type'->>'trace')::bigint), 0) as trace,
          coalesce(sum((i.snapshot->'signals_by_type'->>'metric')::bigint), 0) as metric,
          coalesce(sum((i.snapshot->'signals_by_type'->>'log')::bigint), 0) as log,
          bool_and(i.snapshot ? 'signals_by_type') as is_counted
        from cards c join incidents i using (incident_id)
        where c.storm_id = ${storm.id}
        group by 1
        order by 4 desc, 3 desc, 2 desc, 1`.execute(db);
      const services: StormService[] = rows.map((row) => ({
        service: row.service,
        incidents: Number(row.incidents),
        open: Number(row.open),
        unacknowledged: Number(row.unacknowledged),
        signals: Number(row.signals),
        byType: row.is_counted ? { trace: Number(row.trace), metric: Number(row.metric), log: Number(row.log) } : null,
      }));
      const { rows: oldest } = await sql<{ snapshot: Incident }>`
        select i.snapshot from cards c join incidents i using (incident_id)
        where c.storm_id = ${storm.id} and ${isOpen} and not ${isAcknowledged}
        order by ${openedAt}, i.incident_id limit 1`.execute(db);
      const { id, startedAt, calmAt, endedAt } = storm;
      return { id, startedAt, calmAt, endedAt, services, oldest: oldest[0]?.snapshot ?? null };
    },

    async find(id) {
      const row = await db.selectFrom('storms').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toStorm(row);
    },

    async unacknowledged(id, service, most) {
      const { rows } = await sql<{ incident_id: string }>`
        select i.incident_id from cards c join incidents i using (incident_id)
        where c.storm_id = ${id} and i.snapshot->>'root_service' = ${service} and ${isOpen} and not ${isAcknowledged}
        order by ${openedAt}, i.incident_id limit ${most}`.execute(db);
      return rows.map((row) => row.incident_id);
    },

    async countMembers(id) {
      const { rows } = await sql<{ count: string }>`select count(*) from cards where storm_id = ${id}`.execute(db);
      return Number(rows[0]?.count ?? 0);
    },

    async members(id, { offset, limit }) {
      const { rows } = await sql<{ incident_id: string }>`
        select i.incident_id from cards c join incidents i using (incident_id)
        where c.storm_id = ${id}
        order by ${isOpen} desc, ${isAcknowledged}, ${openedAt}, i.incident_id
        limit ${limit} offset ${offset}`.execute(db);
      return rows.map((row) => row.incident_id);
    },
  };
}

async function gather(trx: Transaction<Tables>, channelId: string, now: Date, rules: StormRules): Promise<void> {
  const since = (ms: number) => new Date(now.getTime() - ms);
  const { rows } = await sql<{ fresh: string; recent: string; first: Date | null }>`
    select count(*) filter (where created_at > ${since(rules.windowMs)}) as fresh,
      count(*) filter (where created_at > ${since(rules.calmMs)}) as recent,
      min(created_at) filter (where created_at > ${since(rules.windowMs)}) as first
    from cards
    where channel_id = ${channelId} and created_at > ${since(Math.max(rules.windowMs, rules.calmMs))}`.execute(trx);
  const fresh = Number(rows[0]?.fresh ?? 0);
  const recent = Number(rows[0]?.recent ?? 0);
  const running = await trx
    .selectFrom('storms')
    .select('id')
    .where('channel_id', '=', channelId)
    .where('calm_at', 'is', null)
    .executeTakeFirst();
  if (running === undefined && fresh <= rules.incidents) {
    return;
  }
  const id = running?.id ?? randomUUID();
  if (running === undefined) {
    const startedAt = rows[0]?.first ?? now;
    await trx.insertInto('storms').values({ id, channel_id: channelId, started_at: startedAt }).execute();
  }
  await sql`
    update cards set storm_id = ${id}, is_withheld = true
    where channel_id = ${channelId} and ts is null and attempt_id is null and storm_id is null
      and shown_revision = 0 and (leased_until is null or leased_until <= ${now})`.execute(trx);
  if (running !== undefined && recent <= rules.calmIncidents) {
    await trx.updateTable('storms').set({ calm_at: now }).where('id', '=', id).execute();
  }
}

async function end(trx: Transaction<Tables>, channelId: string, now: Date, rules: StormRules): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update storms set ended_at = ${now}
    where channel_id = ${channelId} and calm_at is not null and ended_at is null and ${rules.leftOpen} >= (
      select count(*) from cards c join incidents i using (incident_id) where c.storm_id = storms.id and ${isOpen})
    returning id`.execute(trx);
  for (const { id } of rows) {
    await sql`
      update cards set is_withheld = false, due_since = now(), lane = ${LANES.opened}, next_attempt_at = '-infinity'
      from incidents i
      where cards.storm_id = ${id} and i.incident_id = cards.incident_id and ${isOpen}`.execute(trx);
    // The storm's message has said it all of those that are closed.
    await sql`
      update cards set shown_revision = desired_revision
      where storm_id = ${id} and is_withheld`.execute(trx);
  }
}

function toStorm(row: Selectable<Tables['storms']>): Storm {
  return {
    id: row.id,
    channelId: row.channel_id,
    startedAt: row.started_at,
    calmAt: row.calm_at,
    endedAt: row.ended_at,
    ts: row.ts,
    attempt: row.attempt_id === null || row.attempt_at === null ? null : { id: row.attempt_id, at: row.attempt_at },
    shownDigest: row.shown_digest,
  };
}
