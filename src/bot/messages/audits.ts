import type { Generated } from 'kysely';
import { type Kysely, sql } from 'kysely';
import { fromNow, isDue } from '../../database/lease.ts';
import { URGENCY } from '../incident/urgency.ts';
import type { PlaceId } from '../slack/identifiers.ts';
import type { Tables } from '../tables.ts';
import { OPEN, STORM_GOES_ON } from './due.ts';
import type { MessageKindName } from './message.ts';

declare module '../tables.ts' {
  interface Tables {
    /** A place for messages: a channel, or a person's direct messages (then a user id). */
    channels: {
      channel_id: PlaceId;
      /** The value of INCIDENTS_CHANNEL that led to this channel; null: only rules that people made led to it. */
      subscribed_as: string | null;
      /** See `Bucket`. */
      tokens: Generated<number>;
      edit_tokens: Generated<number>;
      counted_at: Generated<Date>;
      /** null: none is due. */
      next_audit_at: Date | null;
      /** Messages before this time are verified; null: none are. */
      audited_until: Date | null;
      /** Threads for the next audit. */
      audit_threads: Generated<string[]>;
    };
  }
}

/** Upper bound for `next_audit_at`. */
const LONGEST_AUDIT_PAUSE_MS = 24 * 60 * 60_000;

/** Whether the place is audited regularly. */
const IS_AUDITED = sql<boolean>`exists (select from rules where rules.channel_id = channels.channel_id)`;

/** A channel or direct message to audit. */
export interface DueAudit {
  readonly placeId: PlaceId;
  /** Messages before this time are verified; null: none are. */
  readonly auditedUntil: Date | null;
  /** The database's time. */
  readonly now: Date;
  /** Threads to audit. */
  readonly threads: readonly string[];
  /** When the next one is due, unless another is requested meanwhile. Not a `Date`, which has no microseconds. */
  readonly nextAt: string;
}

/** A message according to the database. */
export interface BelievedMessage {
  readonly kind: MessageKindName;
  readonly subject: string;
  readonly ts: string | null;
  /** It is leased, or an attempt is open. */
  readonly isBusy: boolean;
  /** It must exist in Slack: the card of an open incident, or the message of a storm that goes on. */
  readonly isRequired: boolean;
}

/** Which places are compared with what Slack shows, and when. */
export interface AuditStore {
  /** Claims the due audits, so that no other process runs them. The next audits are due after `everyMs`. */
  claimAudits(everyMs: number): Promise<DueAudit[]>;
  /**
   * Records that messages before `until`, and these threads, are verified.
   *
   * @param nextAt as it was claimed: an audit that was requested meanwhile stays due
   */
  recordAudited(placeId: PlaceId, until: Date, threads?: readonly string[], nextAt?: string): Promise<void>;
  /**
   * Requests an audit within `withinMs`, including these threads. Where nothing is audited regularly, the last request says when:
   * what it waits for may arrive until then.
   */
  requestAudit(placeId: PlaceId, withinMs: number, threads?: readonly string[]): Promise<void>;
  /**
   * Cards, storm messages and notices in that channel: those that must exist or wait to be posted, those posted since
   * then, and those about the subjects.
   */
  believed(placeId: PlaceId, sinceSeconds: number, subjects?: readonly string[]): Promise<BelievedMessage[]>;
  /** Corrects the stored `ts` of a message; null: not in Slack. Does nothing if it has changed since. */
  correct(
    placeId: PlaceId,
    message: Pick<BelievedMessage, 'kind' | 'subject'>,
    at: { from: string | null; to: string | null },
  ): Promise<void>;
}

export function createAuditStore(db: Kysely<Tables>): AuditStore {
  return {
    async claimAudits(everyMs) {
      const { rows } = await sql<DueAudit>`
        update channels set next_audit_at = ${fromNow(everyMs)}
        where channel_id in (
          select channel_id from channels
          where next_audit_at is not null and ${isDue('next_audit_at', LONGEST_AUDIT_PAUSE_MS)}
          for update skip locked)
        returning channel_id as "placeId", audited_until as "auditedUntil", clock_now() as now,
          audit_threads as threads, next_audit_at::text as "nextAt"`.execute(db);
      return rows;
    },

    async recordAudited(placeId, until, threads = [], nextAt) {
      await sql`
        update channels set audited_until = ${until},
          audit_threads = array(select unnest(audit_threads) except select unnest(${threads}::text[])),
          next_audit_at = case when ${IS_AUDITED} or not audit_threads <@ ${threads}::text[]
            or next_audit_at <> ${nextAt ?? null}::timestamptz then next_audit_at end
        where channel_id = ${placeId}`.execute(db);
    },

    async requestAudit(placeId, withinMs, threads = []) {
      await sql`
        update channels set audited_until = null,
          next_audit_at = case when ${IS_AUDITED} then least(next_audit_at, ${fromNow(withinMs)})
            else greatest(next_audit_at, ${fromNow(withinMs)}) end,
          audit_threads = array(select distinct unnest(audit_threads || ${threads}::text[]))
        where channel_id = ${placeId}`.execute(db);
    },

    async believed(placeId, sinceSeconds, subjects = []) {
      const columns = sql`
        select id, kind, subject, ts, is_withheld, needs_redraw, ${STORM_GOES_ON} as is_storm,
          leased_until is not null or attempt_id is not null as is_busy
        from messages`;
      const { rows } = await sql<BelievedMessage>`
        with wanted as (
          ${columns} where channel_id = ${placeId} and kind in ('card', 'storm', 'notice') and ts is not null
            and ts collate "C" >= ${String(sinceSeconds)}
          union
          ${columns} where channel_id = ${placeId} and needs_redraw
          union
          ${columns} where channel_id = ${placeId} and kind = 'card' and subject = any(${OPEN})
          union
          ${columns} where channel_id = ${placeId} and ${STORM_GOES_ON}
          union
          ${columns} where channel_id = ${placeId} and subject = any(${subjects}::text[])
        )
        select kind, subject, ts, is_busy as "isBusy",
          is_storm or kind = 'card' and not is_withheld and subject = any(${OPEN}) as "isRequired"
        from wanted where kind in ('card', 'storm', 'notice') and (ts is not null or is_busy or needs_redraw)`.execute(
        db,
      );
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
