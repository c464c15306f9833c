import { type Kysely, type Selectable, sql } from 'kysely';
import type { Incident } from '../../contract/resources.ts';
import type { StormRules } from '../domain/storm.ts';
import type { BelievedCard } from '../messages/audit-plan.ts';
import type { Attempt } from '../messages/find-attempt.ts';
import type { StormService, StormSummary } from '../views/storm-card.ts';
import { advanceStorms, isOpen } from './advance-storms.ts';
import { NO_ATTEMPT, toAttempt, toAttemptRow } from './attempts.ts';
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
  readonly attempt: Attempt | null;
  readonly shownDigest: string | null;
  /** The end of the lease, by which whoever holds it is known; null: it was only read. */
  readonly leasedUntil: Date | null;
}

/** As in `CardStore`, whoever held a lease that ran out changes nothing any more. */
export interface StormStore {
  /** Begins, calms and ends storms of that channel by the rules; withholds cards, and releases them. */
  advance(channelId: string, now: Date, rules: StormRules): Promise<void>;
  claim(channelId: string, now: Date, paused: readonly CardMethod[]): Promise<Storm | null>;
  /** @returns false: the lease ran out, and nothing may be posted */
  beginAttempt(storm: Storm, attempt: Attempt): Promise<boolean>;
  endAttempt(storm: Storm): Promise<void>;
  forgetMessage(storm: Storm): Promise<void>;
  /**
   * @param isSettled that was its last change
   * @returns false: the lease ran out, and whoever has it now shows the storm once more
   */
  markShown(storm: Storm, shown: { ts: string; digest: string; nextAt: Date; isSettled: boolean }): Promise<boolean>;
  release(storm: Storm, retryAt: Date): Promise<void>;
  /** The messages of the given storms in that channel. */
  among(channelId: string, ids: readonly string[]): Promise<BelievedCard[]>;
  /** As in `CardStore`. */
  moveMessage(channelId: string, id: string, message: { from: string | null; to: string | null }): Promise<void>;
  summary(storm: Pick<Storm, 'id' | 'startedAt' | 'calmAt' | 'endedAt'>): Promise<StormSummary>;
  find(id: string): Promise<Storm | null>;
  /** Open and not acknowledged, of one root service; oldest first, at most `most`. */
  unacknowledged(id: string, service: string, most: number): Promise<string[]>;
  countMembers(id: string): Promise<number>;
  /** Ids: what needs somebody first, then by age. */
  members(id: string, page: { offset: number; limit: number }): Promise<string[]>;
}

/** As a card shows it: what the service tells, else what it confirmed to us. */
const isAcknowledged = sql<boolean>`(case
  when i.snapshot @> '{"acknowledged": true}' then true
  when i.snapshot ?| array['acknowledged_at', 'acknowledged_by']
  then coalesce(i.snapshot->>'acknowledged_at', i.snapshot->>'acknowledged_by') is not null
  when i.snapshot ? 'acknowledged' then false
  else i.acknowledged_at is not null end)`;
const openedAt = sql<Date>`(i.snapshot->>'opened_at')::timestamptz`;

export function createStormStore(db: Kysely<Tables>): StormStore {
  const held = ({ id, leasedUntil }: Storm) =>
    db.updateTable('storms').where('id', '=', id).where('leased_until', '=', leasedUntil);

  return {
    advance: (channelId, now, rules) => advanceStorms(db, channelId, now, rules),

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

    async beginAttempt(storm, attempt) {
      const { numUpdatedRows } = await held(storm).set(toAttemptRow(attempt)).executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async endAttempt(storm) {
      await held(storm).set(NO_ATTEMPT).execute();
    },

    async forgetMessage(storm) {
      await held(storm)
        .set({ ts: null, shown_digest: null, ...NO_ATTEMPT, leased_until: null })
        .execute();
    },

    async markShown(storm, { ts, digest, nextAt, isSettled }) {
      const { numUpdatedRows } = await held(storm)
        .set({
          ts,
          shown_digest: digest,
          ...NO_ATTEMPT,
          leased_until: null,
          next_attempt_at: nextAt,
          settled_at: isSettled ? nextAt : null,
        })
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) {
        return true;
      }
      await db
        .updateTable('storms')
        .set({ shown_digest: null, settled_at: null })
        .where('id', '=', storm.id)
        .where('ts', '=', ts)
        .execute();
      return false;
    },

    async release(storm, retryAt) {
      await held(storm).set({ next_attempt_at: retryAt, leased_until: null }).execute();
    },

    async among(channelId, ids) {
      const rows = await db
        .selectFrom('storms')
        .select(['id', 'ts', 'leased_until', 'attempt_id'])
        .where('channel_id', '=', channelId)
        .where(sql`id::text`, '=', sql<string>`any(${ids}::text[])`)
        .execute();
      return rows.map(({ id, ts, ...row }) => ({
        id,
        ts,
        isBusy: row.leased_until !== null || row.attempt_id !== null,
      }));
    },

    async moveMessage(channelId, id, { from, to }) {
      await db
        .updateTable('storms')
        .set({ ts: to, shown_digest: null, settled_at: null })
        .where('channel_id', '=', channelId)
        .where('id', '=', id)
        .where('ts', from === null ? 'is' : '=', from)
        .where('leased_until', 'is', null)
        .where('attempt_id', 'is', null)
        .execute();
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

function toStorm(row: Selectable<Tables['storms']>): Storm {
  return {
    id: row.id,
    channelId: row.channel_id,
    startedAt: row.started_at,
    calmAt: row.calm_at,
    endedAt: row.ended_at,
    ts: row.ts,
    attempt: toAttempt(row),
    shownDigest: row.shown_digest,
    leasedUntil: row.leased_until,
  };
}
