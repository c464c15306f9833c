import type { ColumnType, Generated } from 'kysely';
import type { Incident } from '../../contract/resources.ts';
import type { ActionKind } from '../domain/action.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';
import type { Confirmation } from '../domain/incident.ts';
import type { Standing } from '../domain/person.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { MessageCall } from '../domain/throttle.ts';
import type { MessageData, MessageKindName } from './messages.ts';

export const BOT_SCHEMA = 'bot';

/** Times are the database's (`clock_now()`) unless said otherwise. */
export interface Tables {
  /** One row: the Slack workspace and the incident service that this database is about. */
  installation: {
    is_only: Generated<boolean>;
    /** null: never signed in. */
    team_id: string | null;
    /** Its base address, or `EMBEDDED_SERVICE`; null: no service has answered yet. */
    service_id: string | null;
    /** The newest `opened_at` when the service answered first. Older closed incidents are history. */
    watermark: Date | null;
    /** When any process last had a complete answer. */
    answered_at: Date | null;
    /** When polling began to fail; null: the last poll succeeded. */
    failing_since: Date | null;
    /** When the service last answered, once it has failed for too long; null: what is known is fresh. */
    stale_since: Date | null;
    /** `team app service` that the bot registered for; null: not registered. */
    registered_as: string | null;
    /** null: the service did not say. */
    integration_id: string | null;
  };
  /** A place for messages: a channel, or a person's direct messages (then a user id). */
  channels: {
    channel_id: string;
    /** The setting that was resolved to this channel; null: it gets no cards of new incidents. */
    subscribed_as: string | null;
    /** See `Bucket`. */
    tokens: Generated<number>;
    counted_at: Generated<Date>;
    /** null: none is due. */
    next_audit_at: Date | null;
    /** What was posted before is as it should be; null: unknown. */
    audited_until: Date | null;
    /** Threads that the next audit has to look into. */
    audit_threads: Generated<string[]>;
  };
  incidents: {
    incident_id: string;
    number: ColumnType<string | null, number | null, number | null>;
    /** As the service last showed it, without its signals. */
    snapshot: ColumnType<Incident, string, string>;
    confirmations: ColumnType<readonly Confirmation[], string, string>;
    /** The snapshot completed by the confirmations: what cards show. The columns below are computed from it. */
    incident: ColumnType<Incident, string, string>;
    is_open: boolean;
    is_acknowledged: boolean;
    root_service: string;
    opened_at: Date;
    closed_at: Date | null;
    /** When the service was asked for the snapshot, by the clock of the asking process. */
    as_of: Date;
    first_signal_count: ColumnType<string, number, never>;
    /** The service no longer has it. */
    is_gone: Generated<boolean>;
  };
  /** Everything that must be shown exactly once: see `messages.ts`. */
  messages: {
    id: Generated<string>;
    kind: MessageKindName;
    channel_id: string;
    /** The message whose thread it belongs to; null: it stands in the channel itself. */
    thread_ts: string | null;
    /** An incident, a storm or a person, as the kind has it. */
    subject: string;
    data: ColumnType<MessageData, string, string>;
    ts: string | null;
    /** Of what Slack shows; null: unknown. */
    digest: string | null;
    needs_redraw: Generated<boolean>;
    /** Counts the changes of what it should show. */
    revision: Generated<string>;
    urgency: number;
    /** Since when it differs from what it should show. */
    due_since: Generated<Date>;
    /** When it was first shown; null: never. */
    shown_at: Date | null;
    attempt_id: string | null;
    attempt_first_at: Date | null;
    attempt_last_at: Date | null;
    /** What the attempt says, if it has to be repeated word for word. */
    attempt_data: ColumnType<unknown, string | null, string | null>;
    /** The call that brings it into Slack; generated. */
    next_call: Generated<MessageCall>;
    retry_at: Date | null;
    failures: Generated<number>;
    /** Failures since it was last shown in which Slack refused this very message. */
    refusals: Generated<number>;
    last_error: string | null;
    leased_until: Date | null;
    /** Counts the claims: identifies the holder of the lease. */
    lease: Generated<string>;
    /** The storm message that lists this card's incident. */
    storm_id: string | null;
    /** That message stands for this card. */
    is_withheld: Generated<boolean>;
    created_at: Generated<Date>;
  };
  actions: {
    id: Generated<string>;
    source: string;
    kind: ActionKind;
    incident_id: string;
    slack_user_id: string;
    channel_id: string | null;
    user_name: string | null;
    note: string | null;
    created_at: Generated<Date>;
    attempts: Generated<number>;
    last_error: string | null;
    retry_at: Date | null;
    leased_until: Date | null;
    settled_at: Date | null;
    outcome: AuditEntry['outcome'] | null;
    /** What the person still has to be told; null: told, or not settled. */
    answer: ColumnType<SlackMessage | null, string | null, string | null>;
  };
  people: { slack_user_id: string; name: string; standing: Standing; looked_up_at: Generated<Date> };
  slack_pauses: {
    call: MessageCall | null;
    channel_id: string | null;
    reason: string;
    failures: number;
    since: Date;
    until: Date;
  };
  audit_log: {
    id: Generated<string>;
    at: Generated<Date>;
    action: string;
    incident_id: string | null;
    slack_user_id: string;
    user_name: string | null;
    channel_id: string | null;
    outcome: AuditEntry['outcome'];
    detail: string | null;
  };
}
