import { type Kysely, sql, type Transaction } from 'kysely';
import { fromNow, isDue } from '../../database/lease.ts';
import type { ChannelId, PlaceId } from '../domain/identifiers.ts';
import type { MessageKindName } from '../domain/message.ts';
import { EVERYTHING } from '../domain/rule.ts';
import { URGENCY } from '../domain/urgency.ts';
import { changeRules } from './rules.ts';
import type { Tables } from './tables.ts';

/** Upper bound for `next_audit_at`. */
const LONGEST_AUDIT_PAUSE_MS = 24 * 60 * 60_000;

export interface Subscription {
  readonly channelId: ChannelId;
  /** The value of INCIDENTS_CHANNEL that led to this channel. */
  readonly setting: string;
}

/** A channel or direct message to audit. */
export interface DueAudit {
  readonly placeId: PlaceId;
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
   * Creates a rule for all incidents in this channel, in place of the one of the previous setting. In a new channel, open
   * incidents get their cards. Messages in the previous channel are kept up to date, but nothing new is posted there
   * unless people have made rules for it.
   */
  subscribe(subscription: Subscription): Promise<void>;
  /** Deletes the rule of INCIDENTS_CHANNEL. */
  unsubscribeAll(): Promise<void>;
  /** Deletes a channel that no longer exists, with its messages. */
  forget(channelId: ChannelId): Promise<void>;
  /** Claims the due audits, so that no other process runs them. The next audits are due after `everyMs`. */
  claimAudits(everyMs: number): Promise<DueAudit[]>;
  /** Records that messages before `until`, and these threads, are verified. */
  recordAudited(placeId: PlaceId, until: Date, threads?: readonly string[]): Promise<void>;
  /** Requests an audit within `withinMs`, including these threads. */
  requestAudit(placeId: PlaceId, withinMs: number, threads?: readonly string[]): Promise<void>;
  /** Cards and storm messages in that channel. */
  believed(placeId: PlaceId): Promise<BelievedMessage[]>;
  /** Corrects the stored `ts` of a message; null: not in Slack. Does nothing if it has changed since. */
  correct(
    placeId: PlaceId,
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
      await changeRules(db, async (tx) => {
        const left = await unsubscribe(tx, channelId);
        await tx
          .insertInto('channels')
          .values({ channel_id: channelId, subscribed_as: setting })
          .onConflict((conflict) => conflict.column('channel_id').doUpdateSet({ subscribed_as: setting }))
          .execute();
        await sql`
          insert into rules (channel_id, filter, escalation, is_default)
          select ${channelId}, ${JSON.stringify(EVERYTHING)}::jsonb, '[]', true
          where not exists (select from rules where channel_id = ${channelId} and is_default)`.execute(tx);
        return [channelId, ...left];
      });
    },

    async unsubscribeAll() {
      await changeRules(db, (tx) => unsubscribe(tx, null));
    },

    async forget(channelId) {
      await changeRules(db, async (tx) => {
        await tx.deleteFrom('channels').where('channel_id', '=', channelId).execute();
        return [];
      });
    },

    async claimAudits(everyMs) {
      const { rows } = await sql<DueAudit>`
        update channels set next_audit_at = ${fromNow(everyMs)}
        where channel_id in (
          select channel_id from channels
          where next_audit_at is not null and ${isDue('next_audit_at', LONGEST_AUDIT_PAUSE_MS)}
          for update skip locked)
        returning channel_id as "placeId", audited_until as "auditedUntil", clock_now() as now,
          audit_threads as threads`.execute(db);
      return rows;
    },

    async recordAudited(placeId, until, threads = []) {
      await sql`
        update channels set audited_until = ${until},
          audit_threads = array(select unnest(audit_threads) except select unnest(${threads}::text[])),
          next_audit_at = case when exists (select from rules where rules.channel_id = channels.channel_id) or not audit_threads <@ ${threads}::text[]
            then next_audit_at end
        where channel_id = ${placeId}`.execute(db);
    },

    async requestAudit(placeId, withinMs, threads = []) {
      await sql`
        update channels set next_audit_at = least(next_audit_at, ${fromNow(withinMs)}), audited_until = null,
          audit_threads = array(select distinct unnest(audit_threads || ${threads}::text[]))
        where channel_id = ${placeId}`.execute(db);
    },

    async believed(placeId) {
      const { rows } = await sql<BelievedMessage>`
        select kind, subject, ts, leased_until is not null or attempt_id is not null as "isBusy",
          kind = 'card' and coalesce(i.is_open, false) and not is_withheld as "isRequired"
        from messages left join incidents as i on kind = 'card' and i.incident_id = subject
        where channel_id = ${placeId} and kind in ('card', 'storm', 'notice')
          and (ts is not null or attempt_id is not null or needs_redraw)`.execute(db);
      return rows;
    },

    async correct(placeId, { kind, subject }, { from, to }) {
      await sql`
        update messages set ts = ${to}, digest = null, needs_redraw = true, revision = revision + 1,
          due_since = clock_now(), urgency = ${to === null ? URGENCY.opened : URGENCY.state}
        where kind = ${kind} and subject = ${subject} and channel_id = ${placeId}
          and ts is not distinct from ${from}
          and leased_until is null and attempt_id is null`.execute(db);
    },
  };
}

/** @returns the channels whose rules have changed */
async function unsubscribe(tx: Transaction<Tables>, except: string | null): Promise<string[]> {
  await sql`
    update channels set subscribed_as = null where channel_id is distinct from ${except}`.execute(tx);
  const { rows } = await sql<{ channel_id: ChannelId }>`
    delete from rules where is_default and channel_id is distinct from ${except}
    returning channel_id`.execute(tx);
  return rows.map((row) => row.channel_id);
}
