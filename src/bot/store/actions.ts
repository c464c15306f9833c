import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { fromNow, isDue } from '../../database/lease.ts';
import type { Action, ActionRequest, Cancellation, IncidentAction } from '../domain/action.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import { URGENCY } from '../domain/urgency.ts';
import { redrawCards } from './cards.ts';
import type { Writes } from './messages.ts';
import type { Tables } from './tables.ts';

/** Longer than sending an action takes. After this, another process takes over. */
const LEASE_MS = 60_000;
/** Upper bound for `retry_at`. */
const LONGEST_RETRY_MS = 5 * 60_000;

type ActionRow = Selectable<Tables['actions']>;

export type Kept =
  /** The caller holds the lease and must send the action. */
  | { readonly kind: 'new'; readonly action: Action }
  /** A redelivery of a stored interaction. */
  | { readonly kind: 'repeated'; readonly note: string | null };

export interface Answer {
  readonly actionId: string;
  /** Where the person asked; null: unknown. */
  readonly channelId: string | null;
  readonly message: SlackMessage;
}

export interface SettledAction {
  readonly action: IncidentAction;
  readonly outcome: AuditEntry['outcome'];
  /** When the service says it was done; null: it was not, or it does not say. */
  readonly effectAt: Date | null;
  /** Time since it was settled, by the database's clock. */
  readonly ageMs: number;
}

/** Actions of people, stored until the service has given a final response. */
export interface ActionStore {
  keep(request: ActionRequest, userName: string | null): Promise<Kept>;
  nameUser(id: string, userName: string): Promise<void>;
  /** Leases the action that has been due longest; null: none is due. */
  claim(): Promise<Action | null>;
  /** Whether the person has completed the same action in another way since then. */
  isSuperseded(action: Action): Promise<boolean>;
  /** Makes the cards due in the same statement, because they show pending actions. */
  postpone(id: string, failure: { error: string; retryMs: number }): Promise<void>;
  /**
   * Writes the outcome to the audit log, stores the answer, and makes the cards due if they showed the action as pending,
   * in one statement. A direct message with the answer is due after `answerMs`, unless `markAnswered` comes first.
   *
   * @param effectAt when the service says it was done; absent or null: it was not, or it does not say
   */
  settle(
    id: string,
    entry: AuditEntry,
    answer: SlackMessage,
    answerMs: number,
    effectAt?: string | null,
  ): Promise<void>;
  /** A settled action of the person on an incident; null: they have none with this id. */
  findSettled(id: string, slackUserId: string): Promise<SettledAction | null>;
  /** Records that the person was told the outcome. */
  markAnswered(ids: readonly string[]): Promise<void>;
  /** Answers that the person has not received yet, oldest first. @param limit absent: all */
  unanswered(slackUserId: string, limit?: number): Promise<Answer[]>;
  /** Cancels a pending action of the person, records that in the audit log, and makes the cards due. */
  cancel(id: string, slackUserId: string): Promise<Cancellation>;
  /** Makes all pending actions due, because the service responds again. */
  makeDue(): Promise<void>;
  countWaiting(): Promise<number>;
}

export function createActionStore(db: Kysely<Tables>): ActionStore {
  return {
    async keep(request, userName) {
      const { source, kind, incidentId, slackUserId, channelId, note, origin, until = null } = request;
      const { asksFirst = false, undoes = null } = request.incidentId === null ? {} : request;
      const mute = request.incidentId === null ? JSON.stringify(request.mute) : null;
      const { rows } = await sql<ActionRow>`
        insert into actions (source, kind, incident_id, mute, slack_user_id, channel_id, user_name, note, origin,
          asks_first, undoes, until, leased_until)
        values (${source}, ${kind}, ${incidentId}, ${mute}, ${slackUserId}, ${channelId}, ${userName}, ${note},
          ${origin}, ${asksFirst}, ${undoes}, ${until}, ${fromNow(LEASE_MS)})
        on conflict (source) do update set note = excluded.note, leased_until = excluded.leased_until
        where actions.settled_at is null and ${isDue('actions.leased_until', LEASE_MS)}
        returning *`.execute(db);
      if (rows[0] !== undefined) {
        return { kind: 'new', action: toAction(rows[0]) };
      }
      const before = await db
        .selectFrom('actions')
        .select('note')
        .where('source', '=', source)
        .executeTakeFirstOrThrow();
      return { kind: 'repeated', note: before.note };
    },

    async nameUser(id, userName) {
      await db.updateTable('actions').set({ user_name: userName }).where('id', '=', id).execute();
    },

    async claim() {
      const { rows } = await sql<ActionRow>`
        update actions set leased_until = ${fromNow(LEASE_MS)},
          attempts = attempts + (leased_until is not null)::integer -- its holder died and may have sent it
        where id = (
          select id from actions
          where settled_at is null and ${isDue('retry_at', LONGEST_RETRY_MS)} and ${isDue('leased_until', LEASE_MS)}
          order by retry_at nulls first, created_at
          limit 1
          for update skip locked)
        returning *`.execute(db);
      return rows[0] === undefined ? null : toAction(rows[0]);
    },

    async isSuperseded({ id }) {
      const { rows } = await sql`
        select from actions as mine
        join actions as other using (incident_id, slack_user_id, kind)
        where mine.id = ${id} and other.outcome = 'done' and other.settled_at >= mine.created_at
        limit 1`.execute(db);
      return rows.length > 0;
    },

    async postpone(id, { error, retryMs }) {
      await sql`
        with postponed as (
          update actions
          set attempts = attempts + 1, last_error = ${error}, retry_at = ${fromNow(retryMs)}, leased_until = null
          where id = ${id} and settled_at is null
          returning incident_id
        )
        ${redrawCards(sql`select incident_id from postponed`, URGENCY.person)}`.execute(db);
    },

    async settle(id, entry, answer, answerMs, effectAt = null) {
      const { slackUserId } = entry;
      await sql`
        with settled as (
          update actions
          set settled_at = clock_now(), outcome = ${entry.outcome}, answer = ${JSON.stringify(answer)},
            effect_at = ${effectAt}, leased_until = null
          where id = ${id} and settled_at is null
          returning id, incident_id, attempts
        ), cards as (
          ${redrawCards(sql`select incident_id from settled where attempts > 0`, URGENCY.person)}
        ), place as (
          insert into channels (channel_id) select ${slackUserId} from settled on conflict do nothing
        ), message as (
          insert into messages (kind, channel_id, subject, urgency, retry_at)
          select 'answer', ${slackUserId}, ${slackUserId}, ${URGENCY.person}::smallint, ${fromNow(answerMs)} from settled
          on conflict (subject, kind, channel_id, thread_ts) do update
          set revision = messages.revision + 1, needs_redraw = true,
            retry_at = case when messages.failures > 0 then messages.retry_at
              else least(coalesce(messages.retry_at, clock_now()), excluded.retry_at) end
        )
        insert into audit_log (action, incident_id, slack_user_id, user_name, channel_id, origin, outcome, detail)
        select ${entry.action}, ${entry.incidentId}, ${slackUserId}, ${entry.userName}, ${entry.channelId},
          ${entry.origin}, ${entry.outcome}, ${entry.detail}
        from settled`.execute(db);
    },

    async findSettled(id, slackUserId) {
      if (!z.uuid().safeParse(id).success) {
        return null;
      }
      const { rows } = await sql<ActionRow & { age_ms: number }>`
        select *, (extract(epoch from clock_now() - settled_at) * 1000)::double precision as age_ms
        from actions where id = ${id} and slack_user_id = ${slackUserId} and settled_at is not null`.execute(db);
      const [row] = rows;
      const action = row === undefined ? null : toAction(row);
      return row === undefined || row.outcome === null || action === null || action.incidentId === null
        ? null
        : { action, outcome: row.outcome, effectAt: row.effect_at, ageMs: row.age_ms };
    },

    async markAnswered(ids) {
      await db.transaction().execute(async (tx) => {
        // Locked first, so that the deletion sees an answer that is stored at the same time.
        const { rows } = await sql<{ id: string }>`
          with answered as (
            update actions set answer = null where id = any(${ids}::uuid[]) returning slack_user_id
          )
          select messages.id from messages join answered on subject = answered.slack_user_id
          where kind = 'answer' and leased_until is null and attempt_id is null
          for update of messages`.execute(tx);
        await sql`
          delete from messages
          where id = any(${rows.map((row) => row.id)}::uuid[]) and not exists (
            select from actions where slack_user_id = subject and answer is not null)`.execute(tx);
      });
    },

    async unanswered(slackUserId, limit = Number.MAX_SAFE_INTEGER) {
      const rows = await db
        .selectFrom('actions')
        .select(['id', 'channel_id', 'answer'])
        .where('slack_user_id', '=', slackUserId)
        .where('answer', 'is not', null)
        .orderBy('settled_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.flatMap(({ id, channel_id: channelId, answer }) =>
        answer === null ? [] : [{ actionId: id, channelId, message: answer }],
      );
    },

    async cancel(id, slackUserId) {
      if (!z.uuid().safeParse(id).success) {
        return { kind: 'unknown' };
      }
      const mine = await db
        .selectFrom('actions')
        .select('settled_at')
        .where('id', '=', id)
        .where('slack_user_id', '=', slackUserId)
        .executeTakeFirst();
      if (mine === undefined) {
        return { kind: 'unknown' };
      }
      const { rows } = await sql<ActionRow>`
        with cancelled as (
          update actions set settled_at = clock_now(), outcome = 'cancelled'
          where id = ${id} and settled_at is null and ${isDue('leased_until', LEASE_MS)}
          returning *
        ), cards as (
          ${redrawCards(sql`select incident_id from cancelled`, URGENCY.person)}
        ), recorded as (
          insert into audit_log (action, incident_id, slack_user_id, user_name, channel_id, origin, outcome)
          select kind, incident_id, slack_user_id, user_name, channel_id, origin, outcome from cancelled
        )
        select * from cancelled`.execute(db);
      if (rows[0] !== undefined) {
        return { kind: 'cancelled', action: toAction(rows[0]) };
      }
      return { kind: mine.settled_at === null ? 'being-sent' : 'settled' };
    },

    async makeDue() {
      await db
        .updateTable('actions')
        .set({ retry_at: null })
        .where('settled_at', 'is', null)
        .where('retry_at', 'is not', null)
        .execute();
    },

    async countWaiting() {
      const { waiting } = await db
        .selectFrom('actions')
        .select(sql<string>`count(*)`.as('waiting'))
        .where('settled_at', 'is', null)
        .where('attempts', '>', 0)
        .executeTakeFirstOrThrow();
      return Number(waiting);
    },
  };
}

/** Records the answers of a direct message, together with its confirmation. */
export function recordAnswered(ids: readonly string[]): Writes {
  return async (tx) => {
    await tx.updateTable('actions').set({ answer: null }).where('id', '=', sql<string>`any(${ids}::uuid[])`).execute();
  };
}

function toAction(row: ActionRow): Action {
  const stored = {
    id: row.id,
    slackUserId: row.slack_user_id,
    channelId: row.channel_id,
    userName: row.user_name,
    note: row.note,
    origin: row.origin,
    until: row.until,
    attempts: row.attempts,
  };
  const { kind, incident_id: incidentId, mute } = row;
  if (kind === 'mute' || kind === 'unmute') {
    if (mute === null) {
      throw new Error(`action ${row.id} has no mute`);
    }
    return { ...stored, kind, incidentId: null, mute };
  }
  if (incidentId === null) {
    throw new Error(`action ${row.id} has no incident`);
  }
  return { ...stored, kind, incidentId, asksFirst: row.asks_first, undoes: row.undoes };
}
