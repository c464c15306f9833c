import { type Kysely, sql, type Transaction } from 'kysely';
import { fromNow, isDue } from '../../database/lease.ts';
import { URGENCY } from '../domain/urgency.ts';
import { insertCards } from './cards.ts';
import type { MessageKindName } from './messages.ts';
import type { Tables } from './tables.ts';

/** Upper bound for `next_audit_at`. */
const LONGEST_AUDIT_PAUSE_MS = 24 * 60 * 60_000;
const FIRST_AUDIT_MS = 90_000;

export interface Subscription {
  readonly channelId: string;
  /** The value of INCIDENTS_CHANNEL that led to this channel. */
  readonly setting: string;
}

/** A channel or direct message to audit. */
export interface DueAudit {
  readonly channelId: string;
  /** Messages before this time are verified; null: none are. */
  readonly auditedUntil: Date | null;
  /** The database's time. */
  readonly now: Date;
  /** Threads to audit. */
  readonly threads: readonly string[];
}

/** A message according to the database. */
export interface BelievedMessage {
  readonly kind: MessageKindName;
  readonly subject: string;
  readonly ts: string | null;
  /** It is leased, or an attempt is open. */
  readonly isBusy: boolean;
  /** It must exist in Slack: the card of an open incident. */
  readonly isRequired: boolean;
}

export interface ChannelStore {
  subscriptions(): Promise<Subscription[]>;
  /**
   * Makes this the only subscription. In a new channel, open incidents get their cards. Messages in the previous channel
   * are kept up to date, but nothing new is posted there.
   */
  subscribe(subscription: Subscription): Promise<void>;
  unsubscribeAll(): Promise<void>;
  /** Deletes a channel that no longer exists, with its messages. */
  forget(channelId: string): Promise<void>;
  /** Claims the due audits, so that no other process runs them. The next audits are due after `everyMs`. */
  claimAudits(everyMs: number): Promise<DueAudit[]>;
  /** Records that messages before `until`, and these threads, are verified. */
  recordAudited(channelId: string, until: Date, threads?: readonly string[]): Promise<void>;
  /** Requests an audit within `withinMs`, including these threads. */
  requestAudit(channelId: string, withinMs: number, threads?: readonly string[]): Promise<void>;
  /** Cards and storm messages in that channel. */
  believed(channelId: string): Promise<BelievedMessage[]>;
  /** Corrects the stored `ts` of a message; null: not in Slack. Does nothing if it has changed since. */
  correct(
    channelId: string,
    message: Pick<BelievedMessage, 'kind' | 'subject'>,
    at: { from: string | null; to: string | null },
  ): Promise<void>;
}

export function createChannelStore(db: Kysely<Tables>): ChannelStore {
  return {
    async subscriptions() {
      const { rows } = await sql<Subscription>`
        select channel_id as "channelId", subscribed_as as setting from channels
        where subscribed_as is not null`.execute(db);
      return rows;
    },

    async subscribe({ channelId, setting }) {
      await db.transaction().execute(async (tx) => {
        // A concurrent insert of an incident waits for this lock and then sees the new channel.
        await sql`lock table incidents in exclusive mode`.execute(tx);
        await unsubscribe(tx, channelId);
        await tx
          .insertInto('channels')
          .values({ channel_id: channelId, subscribed_as: setting, next_audit_at: fromNow(FIRST_AUDIT_MS) })
          .onConflict((conflict) =>
            conflict.column('channel_id').doUpdateSet((eb) => ({
              subscribed_as: setting,
              next_audit_at: eb.fn.coalesce('channels.next_audit_at', 'excluded.next_audit_at'),
            })),
          )
          .execute();
        await insertCards(sql`(select incident_id from incidents where is_open)`, URGENCY.opened).execute(tx);
      });
    },

    async unsubscribeAll() {
      await db.transaction().execute((tx) => unsubscribe(tx, null));
    },

    async forget(channelId) {
      await db.deleteFrom('channels').where('channel_id', '=', channelId).execute();
    },

    async claimAudits(everyMs) {
      const { rows } = await sql<DueAudit>`
        update channels set next_audit_at = ${fromNow(everyMs)}
        where channel_id in (
          select channel_id from channels
          where next_audit_at is not null and ${isDue('next_audit_at', LONGEST_AUDIT_PAUSE_MS)}
          for update skip locked)
        returning channel_id as "channelId", audited_until as "auditedUntil", clock_now() as now,
          audit_threads as threads`.execute(db);
      return rows;
    },

    async recordAudited(channelId, until, threads = []) {
      await sql`
        update channels set audited_until = ${until},
          audit_threads = array(select unnest(audit_threads) except select unnest(${threads}::text[])),
          next_audit_at = case when subscribed_as is not null or not audit_threads <@ ${threads}::text[]
            then next_audit_at end
        where channel_id = ${channelId}`.execute(db);
    },

    async requestAudit(channelId, withinMs, threads = []) {
      await sql`
        update channels set next_audit_at = least(next_audit_at, ${fromNow(withinMs)}), audited_until = null,
          audit_threads = array(select distinct unnest(audit_threads || ${threads}::text[]))
        where channel_id = ${channelId}`.execute(db);
    },

    async believed(channelId) {
      const { rows } = await sql<BelievedMessage>`
        select kind, subject, ts, leased_until is not null or attempt_id is not null as "isBusy",
          kind = 'card' and coalesce(i.is_open, false) and not is_withheld as "isRequired"
        from messages left join incidents as i on kind = 'card' and i.incident_id = subject
        where channel_id = ${channelId} and kind in ('card', 'storm', 'notice')
          and (ts is not null or attempt_id is not null or needs_redraw)`.execute(db);
      return rows;
    },

    async correct(channelId, { kind, subject }, { from, to }) {
      await sql`
        update messages set ts = ${to}, digest = null, needs_redraw = true, revision = revision + 1,
          due_since = clock_now(), urgency = ${to === null ? URGENCY.opened : URGENCY.state}
        where kind = ${kind} and subject = ${subject} and channel_id = ${channelId}
          and ts is not distinct from ${from}
          and leased_until is null and attempt_id is null`.execute(db);
    },
  };
}

/** Deletes cards that were not posted yet, and freezes storm messages. */
async function unsubscribe(tx: Transaction<Tables>, except: string | null): Promise<void> {
  const { rows } = await sql<{ channel_id: string }>`
    update channels set subscribed_as = null, next_audit_at = null
    where subscribed_as is not null and channel_id is distinct from ${except}
    returning channel_id`.execute(tx);
  const left = rows.map((row) => row.channel_id);
  await sql`
    delete from messages
    where channel_id = any(${left}::text[]) and kind = 'card' and ts is null`.execute(tx);
  await sql`
    update messages set needs_redraw = false, leased_until = null, lease = gen_random_uuid(),
      data = jsonb_build_object('calmAt', clock_now(), 'endedAt', clock_now()) || jsonb_strip_nulls(data)
    where channel_id = any(${left}::text[]) and kind = 'storm' and data->>'endedAt' is null`.execute(tx);
}
