import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { fromNow, isDue } from '../../database/lease.ts';
import { prepared } from '../../database/prepared.ts';
import { LEASE_MS } from '../../effects/renewal.ts';
import { URGENCY } from '../incident/urgency.ts';
import { DRAW_AGAIN, insertMessages } from '../messages/insert-messages.ts';
import type { ActionId, SlackUserId } from '../slack/identifiers.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import type { Tables } from '../tables.ts';
import {
  type Action,
  type ActionRequest,
  type Cancellation,
  type IncidentAction,
  isOnIncident,
  type NamedAction,
  UNDO_MS,
} from './action.ts';
import { type ActionRow, isAboutTheSame, toAction } from './action-rows.ts';
import type { AuditEntry } from './audit-log.ts';
import { recordEntry } from './audit-log.ts';
import { cancelAction, type RedrawCards } from './cancel-action.ts';
import { type ActionDefinitions, definitionOf } from './definition.ts';

/** Upper bound for `retry_at`. */
const LONGEST_RETRY_MS = 5 * 60_000;

export type Kept =
  /** The caller holds the lease and must send the action. */
  | { readonly kind: 'new'; readonly action: Action }
  /** A redelivery of a stored interaction. */
  | { readonly kind: 'repeated'; readonly note: string | null };

export interface SettledAction {
  readonly action: IncidentAction;
  readonly outcome: AuditEntry['outcome'];
  /** When the service says it was done; null: it was not, or it does not say. */
  readonly effectAt: Date | null;
  /** Time since it was settled, by the database's clock. */
  readonly ageMs: number;
}

/** An action on the same subject, by anybody, that was done after another action was stored. */
export interface DoneAction {
  readonly action: Action;
  readonly at: Date;
  /** It was also requested later than the other action. */
  readonly isNewer: boolean;
}

/**
 * Actions of people, stored until the service has given a final response. Each lease holder has a different number of
 * attempts, so writes from a former holder are ignored.
 */
export interface ActionStore {
  keep(request: ActionRequest, userName: string | null): Promise<Kept>;
  /** Stores a follow-up action, such as the next weekly mute, for the loop to send. Does nothing if it is stored. */
  plan(request: ActionRequest, userName: string): Promise<void>;
  /** Mutes that start later, the earliest first. */
  planned(): Promise<Action<'mute'>[]>;
  setUserName(id: ActionId, userName: string): Promise<void>;
  /** Leases the action that has been due longest; null: none is due. */
  claim(): Promise<Action | null>;
  /** Prolongs the leases of actions that this process works on, unless another one has taken them over. */
  renew(held: readonly Pick<Action, 'id' | 'attempts'>[]): Promise<void>;
  /**
   * Actions on the same subject that were done since this one was stored, in the order of the requests.
   *
   * @returns null: the action is settled, or another process has taken it over
   */
  standing(action: Action): Promise<DoneAction[] | null>;
  /**
   * Records the first failure in the audit log, and makes the cards due in the same statement, because they show pending actions.
   *
   * @returns false: another process has taken it over
   */
  postpone(action: Action, entry: AuditEntry, retryMs: number): Promise<boolean>;
  /**
   * Writes the outcome to the audit log, stores the answer, and makes the cards due if they showed the action as pending,
   * in one statement. A direct message with the answer is due after `answerMs`, unless the answer is marked as given first (`answers.ts`).
   *
   * @param effectAt when the service says it was done; absent or null: it was not, or it does not say
   * @returns false: it is settled already, or another process has taken it over
   */
  settle(
    action: Action,
    entry: AuditEntry,
    answer: SlackMessage,
    answerMs: number,
    effectAt?: string | null,
  ): Promise<boolean>;
  /** The acknowledgements that the person did with one click on several incidents, by the start of their `source`. */
  acknowledgedTogether(source: string, slackUserId: SlackUserId): Promise<NamedAction<'acknowledge'>[]>;
  /** A settled action of the person on an incident; null: they have none with this id. */
  findSettled(id: ActionId, slackUserId: SlackUserId): Promise<SettledAction | null>;
  /**
   * Cancels a pending action of the person, records that in the audit log, and makes the cards due.
   *
   * @param isResponder they may also cancel the planned mutes of others
   */
  cancel(id: ActionId, slackUserId: SlackUserId, isResponder: boolean): Promise<Cancellation>;
  /** Makes all pending actions due, because the service responds again. */
  makeDue(): Promise<void>;
  countWaiting(): Promise<number>;
}

/** @param redrawCards makes what shows the incidents due, see `cards.ts` */
export function createActionStore(
  db: Kysely<Tables>,
  definitions: ActionDefinitions,
  redrawCards: RedrawCards,
): ActionStore {
  return {
    async keep(request, userName) {
      const { source, kind, incidentId, slackUserId, channelId, origin } = request;
      const data = JSON.stringify(definitionOf(definitions, kind).data.parse(request));
      const { rows } = await sql<ActionRow>`
        ${prepared('keep-action')}
        insert into actions (source, kind, incident_id, data, slack_user_id, channel_id, user_name, origin, leased_until)
        values (${source}, ${kind}, ${incidentId}, ${data}, ${slackUserId}, ${channelId}, ${userName}, ${origin},
          ${fromNow(LEASE_MS)})
        on conflict (source) do update set data = excluded.data, leased_until = excluded.leased_until,
          attempts = actions.attempts + ${IS_TAKEN_OVER}
        where actions.settled_at is null and ${isDue('actions.leased_until', LEASE_MS)}
        returning *`.execute(db);
      if (rows[0] !== undefined) {
        return { kind: 'new', action: toAction(rows[0], definitions) };
      }
      const before = await db
        .selectFrom('actions')
        .select(sql<string | null>`data->>'note'`.as('note'))
        .where('source', '=', source)
        .executeTakeFirstOrThrow();
      return { kind: 'repeated', note: before.note };
    },

    async plan({ source, kind, incidentId, slackUserId, channelId, origin, ...request }, userName) {
      const data = JSON.stringify(definitionOf(definitions, kind).data.parse(request));
      await sql`
        insert into actions (source, kind, incident_id, data, slack_user_id, channel_id, user_name, origin)
        values (${source}, ${kind}, ${incidentId}, ${data}, ${slackUserId}, ${channelId}, ${userName}, ${origin})
        on conflict do nothing`.execute(db);
    },

    async planned() {
      const { rows } = await sql<ActionRow>`
        select * from actions where kind = 'mute' and settled_at is null and ${IS_PLANNED}
        order by data->>'startsAt'`.execute(db);
      return rows.map((row) => toAction(row, definitions) as Action<'mute'>); // the kind was asked for
    },

    async setUserName(id, userName) {
      await db.updateTable('actions').set({ user_name: userName }).where('id', '=', id).execute();
    },

    async claim() {
      const { rows } = await sql<ActionRow>`
        ${prepared('claim-action')}
        update actions set leased_until = ${fromNow(LEASE_MS)},
          attempts = attempts + ${IS_TAKEN_OVER}
        where id = (
          select id from actions
          where settled_at is null and ${isDue('retry_at', LONGEST_RETRY_MS)} and ${isDue('leased_until', LEASE_MS)}
          order by retry_at nulls first, created_at
          limit 1
          for update skip locked)
        returning *`.execute(db);
      return rows[0] === undefined ? null : toAction(rows[0], definitions);
    },

    async renew(held) {
      const [ids, attempts] = [held.map(({ id }) => id), held.map((each) => each.attempts)];
      await sql`
        update actions set leased_until = ${fromNow(LEASE_MS)}
        from unnest(${ids}::uuid[], ${attempts}::integer[]) as held (id, attempts)
        where actions.id = held.id and actions.attempts = held.attempts
          and settled_at is null and leased_until is not null`.execute(db);
    },

    async standing(action) {
      const { id, attempts } = action;
      const isSameThing = isAboutTheSame(action);
      const { rows } = await sql<{ is_newer: boolean | null } & ActionRow>`
        ${prepared('standing-of-action')}
        select other.*, other.number > mine.number as is_newer
        from actions as mine
        left join actions as other on ${isSameThing} and other.outcome = 'done'
          and other.id <> mine.id and (other.number > mine.number or other.settled_at >= mine.created_at)
        where mine.id = ${id} and mine.attempts = ${attempts} and mine.settled_at is null
        order by other.number`.execute(db);
      return rows.length === 0
        ? null
        : rows.flatMap((row) =>
            row.is_newer === null || row.settled_at === null
              ? []
              : [{ action: toAction(row, definitions), at: row.settled_at, isNewer: row.is_newer }],
          );
    },

    async postpone({ id, attempts }, entry, retryMs) {
      const { rows } = await sql`
        with postponed as (
          update actions
          set attempts = attempts + 1, last_error = ${entry.detail}, retry_at = ${fromNow(retryMs)}, leased_until = null
          where id = ${id} and attempts = ${attempts} and settled_at is null
          returning incident_id
        ), cards as (
          ${redrawCards(sql`select incident_id from postponed`, URGENCY.person)}
        ), recorded as (
          ${recordEntry(entry, sql`postponed where ${attempts === 0}`)}
        )
        select from postponed`.execute(db);
      return rows.length > 0;
    },

    async settle({ id, attempts }, entry, answer, answerMs, effectAt = null) {
      const { slackUserId } = entry;
      const message = insertMessages(
        'answer',
        URGENCY.person,
        { channel_id: slackUserId, subject: slackUserId, retry_at: fromNow(answerMs) },
        {
          from: sql`settled`,
          onConflict: sql`${DRAW_AGAIN},
            retry_at = case when messages.failures > 0 then messages.retry_at
              else least(coalesce(messages.retry_at, clock_now()), excluded.retry_at) end`,
        },
      );
      const { rows } = await sql`
        ${prepared('settle-action')}
        with settled as (
          update actions
          set settled_at = clock_now(), outcome = ${entry.outcome}, answer = ${JSON.stringify(answer)},
            effect_at = ${effectAt}, leased_until = null
          where id = ${id} and attempts = ${attempts} and settled_at is null
          returning id, incident_id, attempts
        ), cards as (
          ${redrawCards(sql`select incident_id from settled where attempts > 0`, URGENCY.person)}
        ), place as (
          insert into channels (channel_id) select ${slackUserId} from settled on conflict do nothing
        ), message as (
          ${message}
        ), recorded as (
          ${recordEntry(entry, sql`settled`)}
        )
        select from settled`.execute(db);
      return rows.length > 0;
    },

    async acknowledgedTogether(source, slackUserId) {
      const { rows } = await sql<ActionRow>`
        select * from actions
        where settled_at > ${fromNow(-UNDO_MS)} and outcome = 'done' and kind = 'acknowledge'
          and slack_user_id = ${slackUserId} and starts_with(source, ${source})`.execute(db);
      return rows.map((row) => toAction(row, definitions) as NamedAction<'acknowledge'>); // the kind was asked for
    },

    async findSettled(id, slackUserId) {
      if (!z.uuid().safeParse(id).success) {
        return null;
      }
      const { rows } = await sql<ActionRow & { age_ms: number }>`
        select *, (extract(epoch from clock_now() - settled_at) * 1000)::double precision as age_ms
        from actions where id = ${id} and slack_user_id = ${slackUserId} and settled_at is not null`.execute(db);
      const [row] = rows;
      const action = row === undefined ? null : toAction(row, definitions);
      return row === undefined || row.outcome === null || action === null || !isOnIncident(action)
        ? null
        : { action, outcome: row.outcome, effectAt: row.effect_at, ageMs: row.age_ms };
    },

    cancel: (...whose) => cancelAction({ db, definitions, redrawCards }, ...whose),

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
        .where(sql<boolean>`not ${IS_PLANNED}`)
        .executeTakeFirstOrThrow();
      return Number(waiting);
    },
  };
}

/** A mute whose time has not come; until then it does not wait for the service. */
const IS_PLANNED = sql`coalesce((data->>'startsAt')::timestamptz > clock_now(), false)`;

/** 1: the holder died, or was paused for too long, and may have performed the action. */
const IS_TAKEN_OVER = sql`(actions.leased_until is not null)::integer`;
