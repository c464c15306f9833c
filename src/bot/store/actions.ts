import { nextTick } from 'node:process';
import { type Kysely, type QueryResult, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { Cancellation } from '../domain/outcome.ts';
import type { SlackMessage } from '../views/message.ts';
import { type AuditEntry, toAuditRow } from './audit-log.ts';
import type { Tables } from './tables.ts';

/** Longer than a delivery takes: a process that dies over one leaves it to the next after this. */
const LEASE_MS = 60_000;

type ActionRow = Selectable<Tables['pending_actions']>;

/** What a person asked for: kept before the service is called, until the service has answered for good. */
export interface PendingAction {
  readonly id: string;
  readonly kind: 'acknowledge' | 'resolve';
  readonly incidentId: string;
  readonly slackUserId: string;
  /** Where the person was; null: unknown. */
  readonly channelId: string | null;
  /** As it goes to the service; null: not looked up yet. */
  readonly userName: string | null;
  /** The resolution note exactly as typed. */
  readonly note: string | null;
  /** Failures so far. */
  readonly attempts: number;
}

export interface UntoldAnswer {
  /** Of the action. */
  readonly id: string;
  readonly slackUserId: string;
  readonly answer: SlackMessage;
}

export type NewAction = Omit<PendingAction, 'attempts'> & { readonly source: string | null };

/** An action on its way into the database. */
export interface Keeping {
  /** The statement has left this process: the database carries it out, also if the process dies now. Rejects as `kept`. */
  readonly sent: Promise<void>;
  /** It is there; null: it came before and is settled. */
  readonly kept: Promise<PendingAction | null>;
}

export interface PendingActionStore {
  /**
   * Keeps the action, leased to the caller, who delivers it at once. The same source again gives the action that it
   * made.
   */
  keep(action: NewAction, now: Date): Keeping;
  /** The note of the action that the source made; null: none. */
  noteFrom(source: string): Promise<string | null>;
  nameUser(id: string, userName: string): Promise<void>;
  /** Leases the action that is due longest; null when none is. */
  claim(now: Date): Promise<PendingAction | null>;
  /** Whether the same person has done the same to the incident since they asked for this. */
  isDone(action: PendingAction): Promise<boolean>;
  postpone(id: string, failure: { error: string; retryAt: Date }): Promise<void>;
  /**
   * @param entry how it ended, which is written to the audit log in the same statement
   * @param untold what the person who asked for it is still to be told, and from when on anybody may tell them
   */
  settle(id: string, entry: AuditEntry, untold: { answer: SlackMessage; tellAt: Date }): Promise<void>;
  told(ids: readonly string[]): Promise<void>;
  /** Leases the answers, oldest first, that one person is still to be told; empty: there are none. */
  claimUntold(now: Date, most: number): Promise<UntoldAnswer[]>;
  tellAgain(ids: readonly string[], tellAt: Date): Promise<void>;
  /** Settles what the person asked for, unless it is settled already or on its way; the audit log tells of it. */
  cancel(id: string, slackUserId: string, now: Date): Promise<Cancellation>;
  /** The service answers again: what waits because it did not is due now. */
  makeDue(now: Date): Promise<void>;
  countWaiting(): Promise<number>;
}

export function createPendingActionStore(db: Kysely<Tables>): PendingActionStore {
  return {
    keep(action, now) {
      const sent = Promise.withResolvers<void>();
      const kept = db.connection().execute(async (connection) => {
        const inserted = insert(connection, action, now);
        // A free connection has written it to its socket once all promises that are settled by now have been seen to.
        nextTick(() => sent.resolve());
        const [row] = (await inserted).rows;
        return row === undefined ? null : toAction(row);
      });
      kept.catch(sent.reject);
      sent.promise.catch(() => undefined); // whoever waits for `kept` hears of it
      return { sent: sent.promise, kept };
    },

    async noteFrom(source) {
      const row = await db.selectFrom('pending_actions').select('note').where('source', '=', source).executeTakeFirst();
      return row?.note ?? null;
    },

    async nameUser(id, userName) {
      await db.updateTable('pending_actions').set({ user_name: userName }).where('id', '=', id).execute();
    },

    async claim(now) {
      const { rows } = await sql<ActionRow>`
        update pending_actions set leased_until = ${leaseFrom(now)},
          attempts = attempts + (leased_until is not null)::integer -- whose holder died may have done it
        where id = (
          select id from pending_actions
          where settled_at is null
            and next_attempt_at <= ${now}
            and (leased_until is null or leased_until <= ${now})
          order by next_attempt_at, created_at
          limit 1
          for update skip locked)
        returning *`.execute(db);
      return rows[0] === undefined ? null : toAction(rows[0]);
    },

    async isDone({ id }) {
      const { rows } = await sql`
        select from pending_actions mine
        join pending_actions other using (incident_id, slack_user_id, kind)
        where mine.id = ${id} and other.outcome = 'done' and other.settled_at >= mine.created_at
        limit 1`.execute(db);
      return rows.length > 0;
    },

    async postpone(id, { error, retryAt }) {
      await db
        .updateTable('pending_actions')
        .set({ attempts: sql`attempts + 1`, last_error: error, next_attempt_at: retryAt, leased_until: null })
        .where('id', '=', id)
        .execute();
    },

    async settle(id, entry, { answer, tellAt }) {
      await db
        .with('recorded', (cte) => cte.insertInto('audit_log').values(toAuditRow(entry)))
        .updateTable('pending_actions')
        .set({
          settled_at: entry.at,
          outcome: entry.outcome,
          untold: JSON.stringify(answer),
          leased_until: tellAt,
        })
        .where('id', '=', id)
        .execute();
    },

    async told(ids) {
      await db.updateTable('pending_actions').set({ untold: null }).where('id', 'in', ids).execute();
    },

    async claimUntold(now, most) {
      const { rows } = await sql<ActionRow>`
        with due as (
          select id, slack_user_id, settled_at from pending_actions
          where untold is not null and leased_until <= ${now}
          order by settled_at
          for update skip locked)
        update pending_actions set leased_until = ${leaseFrom(now)}
        where id in (
          select id from due
          where slack_user_id = (select slack_user_id from due order by settled_at limit 1)
          order by settled_at
          limit ${most})
        returning *`.execute(db);
      return rows
        .toSorted((a, b) => Number(a.settled_at) - Number(b.settled_at))
        .flatMap(({ id, slack_user_id: slackUserId, untold }) =>
          untold === null ? [] : [{ id, slackUserId, answer: untold }],
        );
    },

    async tellAgain(ids, tellAt) {
      await db.updateTable('pending_actions').set({ leased_until: tellAt }).where('id', 'in', ids).execute();
    },

    async cancel(id, slackUserId, now) {
      if (!z.uuid().safeParse(id).success) {
        return { kind: 'unknown' };
      }
      const mine = await db
        .selectFrom('pending_actions')
        .select('settled_at')
        .where('id', '=', id)
        .where('slack_user_id', '=', slackUserId)
        .executeTakeFirst();
      if (mine === undefined) {
        return { kind: 'unknown' };
      }
      const row = await db
        .with('cancelled', (cte) =>
          cte
            .updateTable('pending_actions')
            .set({ settled_at: now, outcome: 'cancelled' })
            .where('id', '=', id)
            .where('settled_at', 'is', null)
            .where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]))
            .returningAll(),
        )
        .with('recorded', (cte) =>
          cte
            .insertInto('audit_log')
            .columns(['at', 'action', 'incident_id', 'slack_user_id', 'user_name', 'channel_id', 'outcome'])
            .expression((eb) =>
              eb
                .selectFrom('cancelled')
                .select(['settled_at', 'kind', 'incident_id', 'slack_user_id', 'user_name', 'channel_id', 'outcome']),
            ),
        )
        .selectFrom('cancelled')
        .selectAll()
        .executeTakeFirst();
      if (row !== undefined) {
        return { kind: 'cancelled', action: toAction(row) };
      }
      return { kind: mine.settled_at === null ? 'being-sent' : 'settled' };
    },

    async makeDue(now) {
      await db
        .updateTable('pending_actions')
        .set({ next_attempt_at: now })
        .where('settled_at', 'is', null)
        .where('next_attempt_at', '>', now)
        .execute();
    },

    async countWaiting() {
      const { waiting } = await db
        .selectFrom('pending_actions')
        .select(sql<string>`count(*)`.as('waiting'))
        .where('settled_at', 'is', null)
        .where('attempts', '>', 0)
        .executeTakeFirstOrThrow();
      return Number(waiting);
    },
  };
}

function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}

function insert(db: Kysely<Tables>, action: NewAction, now: Date): Promise<QueryResult<ActionRow>> {
  return sql<ActionRow>`
    insert into pending_actions (id, source, kind, incident_id, slack_user_id, channel_id, user_name, note,
      created_at, next_attempt_at, leased_until)
    values (${action.id}, ${action.source}, ${action.kind}, ${action.incidentId}, ${action.slackUserId},
      ${action.channelId}, ${action.userName}, ${action.note}, ${now}, ${now}, ${leaseFrom(now)})
    on conflict (source) do update set note = excluded.note, leased_until = excluded.leased_until
    where pending_actions.settled_at is null
    returning *`.execute(db);
}

function toAction(row: ActionRow): PendingAction {
  return {
    id: row.id,
    kind: row.kind,
    incidentId: row.incident_id,
    slackUserId: row.slack_user_id,
    channelId: row.channel_id,
    userName: row.user_name,
    note: row.note,
    attempts: row.attempts,
  };
}
