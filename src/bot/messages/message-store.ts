import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import { WITHOUT_FLUSH } from '../../database/durability.ts';
import { fromNow } from '../../database/lease.ts';
import { prepared } from '../../database/prepared.ts';
import { LEASE_MS } from '../../effects/renewal.ts';
import { URGENCY } from '../incident/urgency.ts';
import type { PlaceId } from '../slack/identifiers.ts';
import type { Tables } from '../tables.ts';
import type { Attempt } from './attempt.ts';
import { isClaimable, LONGEST_HOLD_MS, LONGEST_RETRY_MS, redraw, TURN } from './due.ts';
import type { Message } from './message.ts';
import { isPaused } from './pauses.ts';
import type { Bucket, Permit } from './throttle.ts';

export interface Shown {
  readonly ts: string;
  readonly digest: string;
  /** Minimum delay before the next redraw, in milliseconds. */
  readonly restMs: number;
  /** false: Slack already showed this content, and no call was made. */
  readonly isSent: boolean;
}

export interface Failure {
  readonly error: string;
  readonly retryMs: number;
  /** Slack refused this message. */
  readonly isRefused: boolean;
}

/**
 * Storage for the message protocol. Only the holder of an unexpired lease can change a message; other writes are
 * ignored.
 */
export interface MessageStore {
  /**
   * Leases the most urgent due message of the place that `permit` allows, and takes a token from the bucket. Among
   * equally urgent messages the longest waiting one comes first. Messages that Slack refused several times come last.
   * A pause that began after the permit was computed is respected. If it takes over from a process that died, the content in Slack is unknown.
   *
   * @returns null: nothing is due, a pause has begun, or another process was faster
   */
  claim(place: { placeId: PlaceId; bucket: Bucket }, permit: Permit): Promise<Message | null>;
  /** Prolongs the leases of messages that this process delivers, unless another one has taken them over. */
  renew(held: readonly Pick<Message, 'id' | 'lease'>[]): Promise<void>;
  /** @returns false: the lease is lost, and the caller must not post */
  beginAttempt(message: Message, attempt: Attempt, data: unknown): Promise<boolean>;
  /** Clears an attempt that certainly posted nothing. */
  endAttempt(message: Message): Promise<void>;
  /** Clears the `ts` of a message that is gone from Slack or belongs to another app. It will be posted again. */
  forget(message: Message): Promise<void>;
  /**
   * Confirms the content in Slack. A change since the claim keeps the message due.
   *
   * @returns how long the message was due, in milliseconds; null: the lease was lost, and the message is due again
   */
  confirmShown(message: Message, shown: Shown, also?: Writes): Promise<number | null>;
  /** For messages that are sent once: deletes the message, or makes it due again if another must follow. */
  confirmSent(message: Message, hasMore: boolean, also?: Writes): Promise<number | null>;
  /**
   * Deletes a message that has nothing to show. If it has changed since the claim, it stays due. If it has an attempt,
   * only the attempt ends, because the message may have more to report than the attempt did.
   */
  drop(message: Message): Promise<void>;
  /** Delays the message until that time. If it has changed since the claim, it is due at once. */
  hold(message: Message, until: Date): Promise<void>;
  /** Ends the lease after a failure. The content in Slack is then unknown, because an edit may have arrived. */
  release(message: Message, failure: Failure): Promise<void>;
}

/**
 * Writes in the same transaction as a confirmation.
 *
 * @param data the message's `data` column, which another process may have changed since the claim
 */
export type Writes = (tx: Kysely<Tables>, data: unknown) => Promise<void>;

/** Deletes a message that Slack refuses for good. */
export function deleteMessage({ id }: Message): Writes {
  return async (tx) => {
    await tx.deleteFrom('messages').where('id', '=', id).execute();
  };
}

/** Minimum length of a hold, in case the process's clock is behind the database's. */
const SHORTEST_HOLD_MS = 1_000;

const NO_ATTEMPT = {
  attempt_id: null,
  attempt_first_at: null,
  attempt_last_at: null,
  attempt_data: null,
} as const;

export function createMessageStore(db: Kysely<Tables>): MessageStore {
  const held = (tx: Kysely<Tables>, { id, lease }: Message) =>
    tx.updateTable('messages').where('id', '=', id).where('lease', '=', lease).where('leased_until', 'is not', null);

  return {
    async claim({ placeId, bucket }, { calls, allowsReplies, refilled }) {
      const { rows } = await sql<Selectable<Tables['messages']>>`
        ${prepared('claim-message')}
        with claimed as (
          update messages set lease = gen_random_uuid(), leased_until = ${fromNow(LEASE_MS)},
            digest = case when leased_until is null then digest end
          where id = (
            select id from messages
            where channel_id = ${placeId} and ${isClaimable}
              and next_call = any(${calls}::text[])
              and (kind <> 'reply' or ${allowsReplies})
              and not ${isPaused(placeId, calls)}
              and exists (
                select from channels
                where channel_id = ${placeId} and tokens = ${bucket.posts} and edit_tokens = ${bucket.edits} for update)
            order by ${TURN.urgency}, ${TURN.since}, id
            limit 1
            for update skip locked)
            and ${WITHOUT_FLUSH}
          returning *
        ), paid as (
          update channels set tokens = ${refilled.posts}::double precision - (next_call <> 'chat.update')::integer,
            edit_tokens = ${refilled.edits}::double precision - (next_call = 'chat.update')::integer, counted_at = ${refilled.countedAt}
          from claimed where channels.channel_id = claimed.channel_id
        )
        select * from claimed`.execute(db);
      return rows[0] === undefined ? null : toMessage(rows[0]);
    },

    async renew(held) {
      const [ids, leases] = [held.map(({ id }) => id), held.map(({ lease }) => lease)];
      await sql`
        update messages set leased_until = ${fromNow(LEASE_MS)}
        from unnest(${ids}::uuid[], ${leases}::uuid[]) as held (id, lease)
        where messages.id = held.id and messages.lease = held.lease and leased_until is not null`.execute(db);
    },

    async beginAttempt(message, { id, firstAt, lastAt }, data) {
      const { numAffectedRows = 0n } = await sql`
        ${prepared('begin-attempt')}
        update messages set attempt_id = ${id}, attempt_first_at = ${firstAt}, attempt_last_at = ${lastAt},
          attempt_data = ${data === undefined ? null : JSON.stringify(data)}
        where id = ${message.id} and lease = ${message.lease} and leased_until > clock_now()`.execute(db);
      return numAffectedRows > 0n;
    },

    async endAttempt(message) {
      await held(db, message).set(NO_ATTEMPT).execute();
    },

    async forget(message) {
      await held(db, message)
        .set({ ts: null, digest: null, ...NO_ATTEMPT, leased_until: null, urgency: URGENCY.state })
        .execute();
    },

    confirmShown: (message, shown, also) => atomically(db, also, (tx) => writeShown(tx, message, shown)),

    confirmSent: (message, hasMore, also) => atomically(db, also, (tx) => writeSent(tx, message, hasMore)),

    async drop(message) {
      await sql`
        with dropped as (
          delete from messages where id = ${message.id} and lease = ${message.lease} and leased_until is not null
            and revision = ${message.revision} and attempt_id is null
          returning channel_id, next_call
        ), released as (
          update messages set leased_until = null, attempt_id = null, attempt_first_at = null, attempt_last_at = null,
            attempt_data = null
          where id = ${message.id} and lease = ${message.lease} and leased_until is not null
            and not exists (select from dropped)
          returning channel_id, next_call
        )
        ${refund(sql`(select * from dropped union all select * from released)`)}`.execute(db);
    },

    async hold(message, until) {
      await sql`
        with held as (
          update messages set leased_until = null, held_until = case when revision = ${message.revision}
            then greatest(${fromNow(SHORTEST_HOLD_MS)}, least(${until}::timestamptz, ${fromNow(LONGEST_HOLD_MS)})) end
          where id = ${message.id} and lease = ${message.lease} and leased_until is not null
          returning channel_id, next_call
        )
        ${refund(sql`held`)}`.execute(db);
    },

    async release(message, { error, retryMs, isRefused }) {
      await held(db, message)
        .set({
          failures: sql`failures + 1`,
          refusals: sql`refusals + ${isRefused}::boolean::integer`,
          last_error: error,
          retry_at: fromNow(Math.min(retryMs, LONGEST_RETRY_MS)),
          leased_until: null,
          digest: null,
        })
        .execute();
    },
  };
}

const DELIVERED = sql`
  attempt_id = null, attempt_first_at = null, attempt_last_at = null, attempt_data = null,
  failures = 0, refusals = 0, last_error = null, leased_until = null, held_until = null, due_since = clock_now()`;

/** The row of a message that was confirmed. */
interface Held {
  readonly due_ms: string;
  readonly data: unknown;
}

/**
 * Runs `also` in the same transaction if `write` took effect.
 *
 * @param write returns null if the lease is lost
 */
function atomically(
  db: Kysely<Tables>,
  also: Writes | undefined,
  write: (tx: Kysely<Tables>) => Promise<Held | null>,
): Promise<number | null> {
  const confirm = async (tx: Kysely<Tables>) => {
    const held = await write(tx);
    if (held !== null) {
      await also?.(tx, held.data);
    }
    return held && Number(held.due_ms);
  };
  return also === undefined ? confirm(db) : db.transaction().execute(confirm);
}

/** Selects and locks the row of a leased message; no row if the lease is lost. */
/** Gives the token of a call back that was not made. @param rows with the place and the call that was claimed for it */
function refund(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    update channels set tokens = tokens + (unpaid.next_call <> 'chat.update')::integer,
      edit_tokens = edit_tokens + (unpaid.next_call = 'chat.update')::integer
    from ${rows} as unpaid where channels.channel_id = unpaid.channel_id`;
}

function leased({ id, lease }: Message): RawBuilder<unknown> {
  return sql`
    select id, channel_id, next_call, data, extract(epoch from clock_now() - due_since) * 1000 as due_ms from messages
    where id = ${id} and lease = ${lease} and leased_until is not null and ${WITHOUT_FLUSH}
    for update`;
}

async function writeShown(
  db: Kysely<Tables>,
  message: Message,
  { ts, digest, restMs, isSent }: Shown,
): Promise<Held | null> {
  const { rows } = await sql<Held>`
    ${prepared('confirm-shown')}
    with held as (${leased(message)}), refunded as (
      ${refund(sql`held`)} and ${!isSent}
    )
    update messages set ts = ${ts}, digest = ${digest}, needs_redraw = revision <> ${message.revision},
      shown_at = coalesce(shown_at, clock_now()),
      ${DELIVERED}, retry_at = ${restMs > 0 ? fromNow(restMs) : null}
    from held
    where messages.id = held.id
    returning held.due_ms, held.data`.execute(db);
  if (rows[0] !== undefined) {
    return rows[0];
  }
  // Another process holds the lease. This call may have overwritten newer content of that process.
  await redraw(sql<boolean>`id = ${message.id} and ts = ${ts}`, URGENCY.state, { digest: null }).execute(db);
  return null;
}

async function writeSent(db: Kysely<Tables>, message: Message, hasMore: boolean): Promise<Held | null> {
  const isOver = sql<boolean>`(revision = ${message.revision} and ${!hasMore})`;
  const { rows } = await sql<Held>`
    ${prepared('confirm-sent')}
    with held as (${leased(message)}), over as (
      delete from messages using held where messages.id = held.id and ${isOver}
    ), next as (
      update messages set ${DELIVERED}, retry_at = null
      from held
      where messages.id = held.id and not ${isOver}
    )
    select due_ms, data from held`.execute(db);
  return rows[0] ?? null;
}

function toMessage(row: Selectable<Tables['messages']>): Message {
  const { attempt_id: id, attempt_first_at: firstAt, attempt_last_at: lastAt } = row;
  return {
    id: row.id,
    kind: row.kind,
    placeId: row.channel_id,
    threadTs: row.thread_ts,
    subject: row.subject,
    data: row.data,
    ts: row.ts,
    digest: row.digest,
    attempt: id === null || firstAt === null || lastAt === null ? null : { id, firstAt, lastAt },
    attemptData: row.attempt_data,
    failures: row.failures,
    refusals: row.refusals,
    revision: row.revision,
    lease: row.lease,
  } as Message; // the kind has yet to read its data, see `readStored`
}
