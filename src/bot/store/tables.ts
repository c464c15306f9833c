import type { ColumnType, Generated } from 'kysely';
import type { Incident } from '../../contract/resources.ts';
import type { SlackMessage } from '../views/message.ts';
import type { Facts } from '../views/what-changed.ts';
import type { AuditEntry } from './audit-log.ts';
import type { CardMethod } from './limits.ts';

/** A `bigint`: arrives as a string, and only PostgreSQL compares it. */
type Revision = string;

export const BOT_SCHEMA = 'bot';

export interface Tables {
  /** One row: where the channels are. */
  workspace: { is_only: Generated<boolean>; team_id: string };
  subscriptions: {
    channel_id: string;
    /** The setting that the channel was resolved from. */
    setting: string;
    created_at: Generated<Date>;
  };
  incidents: {
    incident_id: string;
    number: ColumnType<string | null, number | null, number | null>;
    status: 'open' | 'closed';
    /** The incident as the service last told it, without its signals. */
    snapshot: ColumnType<Incident, string, string>;
    /** When it was first seen; null: seen by a version that did not keep it. */
    first_signal_count: ColumnType<string | null, number, never>;
    /** When it was asked for. */
    as_of: Date;
    /** Grows with every change of what a card may show. */
    revision: Generated<Revision>;
    /** The service no longer knows it. */
    is_gone: Generated<boolean>;
    /** What the service confirmed of our own writes, for services that do not show it themselves. */
    acknowledged_by: string | null;
    acknowledged_at: Date | null;
    resolved_by: string | null;
    closed_at: Date | null;
    resolution_note: string | null;
  };
  cards: {
    incident_id: string;
    channel_id: string;
    /** Opaque, never a number. */
    ts: string | null;
    /** Of the post that is under way or has ended without a clear answer. */
    attempt_id: string | null;
    attempt_at: Date | null;
    last_attempt_at: Date | null;
    desired_revision: Revision;
    shown_revision: Generated<Revision>;
    shown_digest: string | null;
    lane: number;
    /** When the incident came, by our clock. */
    created_at: Generated<Date>;
    /** Since when it is not as it should be, by the database's clock. */
    due_since: Generated<Date>;
    /** The storm that the incident was part of. */
    storm_id: Generated<string | null>;
    /** The storm's message stands for this card. */
    is_withheld: Generated<boolean>;
    attempts: Generated<number>;
    /** How often since it was last shown Slack refused this very message. */
    refusals: Generated<number>;
    last_error: string | null;
    next_attempt_at: Generated<Date>;
    leased_until: Date | null;
  };
  threads: {
    incident_id: string;
    channel_id: string;
    /** Opaque, never a number. */
    card_ts: string;
    /** What the card shows by now. */
    shown: Facts;
    shown_revision: Revision;
    /** What the last line left told. */
    told: ColumnType<Facts, never, string>;
    /** What was shown up to here is told, or not worth a line. */
    told_revision: Revision;
    /** Of the line that is under way or has ended without a clear answer, and what it tells. */
    attempt_id: string | null;
    attempt_at: Date | null;
    last_attempt_at: Date | null;
    attempt_facts: ColumnType<Facts | null, never, string | null>;
    next_attempt_at: Date;
    leased_until: Date | null;
  };
  pending_actions: {
    id: string;
    /** What it came from, such as the id of a modal; the same source twice is one action. */
    source: string | null;
    kind: 'acknowledge' | 'resolve';
    incident_id: string;
    slack_user_id: string;
    channel_id: string | null;
    /** As it goes to the service; null until it was looked up. */
    user_name: string | null;
    note: string | null;
    created_at: Date;
    attempts: Generated<number>;
    last_error: string | null;
    next_attempt_at: Date;
    leased_until: Date | null;
    settled_at: Date | null;
    outcome: string | null;
    /** How it ended, for the person who asked for it; null: told, or not settled yet. */
    untold: ColumnType<SlackMessage | null, string | null, string | null>;
  };
  registrations: {
    /** By what the service is known, as below. */
    base_url: string;
    team_id: string;
    app_id: string;
    /** null: the service did not say. */
    integration_id: string | null;
    created_at: Generated<Date>;
  };
  /** One row: the service that the database is about. */
  feed_starts: {
    /** Its base address, or `EMBEDDED_SERVICE`. */
    base_url: string;
    watermark: Date;
    /** When any process last had a whole answer. */
    answered_at: Generated<Date | null>;
    /** The same, once that is too long ago. */
    stale_since: Generated<Date | null>;
  };
  storms: {
    id: string;
    channel_id: string;
    started_at: Date;
    calm_at: ColumnType<Date | null, never, Date>;
    ended_at: ColumnType<Date | null, never, Date>;
    /** Its message is what it will stay. */
    settled_at: ColumnType<Date | null, never, Date | null>;
    ts: ColumnType<string | null, never, string | null>;
    attempt_id: ColumnType<string | null, never, string | null>;
    attempt_at: ColumnType<Date | null, never, Date | null>;
    last_attempt_at: ColumnType<Date | null, never, Date | null>;
    shown_digest: ColumnType<string | null, never, string | null>;
    next_attempt_at: ColumnType<Date, never, Date>;
    leased_until: ColumnType<Date | null, never, Date | null>;
  };
  audit_log: {
    id: Generated<string>;
    at: Date;
    action: string;
    incident_id: string | null;
    slack_user_id: string;
    user_name: string | null;
    channel_id: string | null;
    outcome: AuditEntry['outcome'];
    detail: string | null;
  };
  audits: { channel_id: string; next_at: Date; audited_at: Date | null };
  slack_limits: { channel_id: string; method: CardMethod; limited_at: Date; paused_until: Date };
}
