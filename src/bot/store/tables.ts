import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { ActionKind } from '../domain/action.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';
import type {
  ActionId,
  ChannelId,
  IncidentId,
  MessageId,
  PlaceId,
  SlackUserId,
  StormId,
} from '../domain/identifiers.ts';
import type { Confirmation } from '../domain/incident.ts';
import type { MessageKindName } from '../domain/message.ts';
import type { Standing } from '../domain/person.ts';
import type { QuietHours } from '../domain/quiet-hours.ts';
import type { EscalationStep, Handover, RuleFilter } from '../domain/rule.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { MessageCall } from '../domain/throttle.ts';

export const BOT_SCHEMA = 'bot';

/** Times are from the database's clock (`clock_now()`) unless stated otherwise. */
export interface Tables {
  /** One row: the Slack workspace and the incident service of this database. */
  installation: {
    is_only: Generated<boolean>;
    /** null: never signed in. */
    team_id: string | null;
    /** Base address of the service, or `EMBEDDED_SERVICE`; null: no service has responded yet. */
    service_id: string | null;
    /** The newest `opened_at` at the first successful poll. Older closed incidents get no cards. */
    watermark: Date | null;
    /** The newest `opened_at` of a deleted incident; null: none was deleted. Older closed incidents are not stored again. */
    forgotten_until: Date | null;
    /** When a poll of any process last succeeded. */
    answered_at: Date | null;
    /** When polling started to fail; null: the last poll succeeded. */
    failing_since: Date | null;
    /** When the service last responded, set once it has failed for too long; null: the data is fresh. */
    stale_since: Date | null;
    /** `team app service` that the bot registered for; null: not registered. */
    registered_as: string | null;
    /** null: the service did not report one. */
    integration_id: string | null;
    /** Counts the changes of `rules`. */
    rules_version: Generated<string>;
  };
  /** A place for messages: a channel, or a person's direct messages (then a user id). */
  channels: {
    channel_id: PlaceId;
    /** The value of INCIDENTS_CHANNEL that led to this channel; null: only rules that people made led to it. */
    subscribed_as: string | null;
    /** See `Bucket`. */
    tokens: Generated<number>;
    counted_at: Generated<Date>;
    /** null: none is due. */
    next_audit_at: Date | null;
    /** Messages before this time are verified; null: none are. */
    audited_until: Date | null;
    /** Threads for the next audit. */
    audit_threads: Generated<string[]>;
  };
  /** Which incidents get cards where, and who is reminded. */
  rules: {
    id: Generated<string>;
    channel_id: ChannelId;
    filter: ColumnType<RuleFilter, string, string>;
    escalation: ColumnType<readonly EscalationStep[], string, string>;
    quiet_hours: ColumnType<QuietHours | null, string | null, string | null>;
    handover: ColumnType<Handover | null, string | null, string | null>;
    /** Made from INCIDENTS_CHANNEL. */
    is_default: Generated<boolean>;
    /** Identifies the form; a redelivery of the same form is the same rule. null: not made by a form. */
    source: string | null;
    created_by: string | null;
    changed_at: Generated<Date>;
  };
  /** Rules that can be brought back for 30 days. */
  deleted_rules: {
    id: string;
    /** The row of `rules`. */
    rule: ColumnType<unknown, string, string>;
    deleted_at: Generated<Date>;
  };
  incidents: {
    incident_id: IncidentId;
    number: ColumnType<string | null, number | null, number | null>;
    /** The incident as the service last showed it. */
    snapshot: ColumnType<Snapshot, string, string>;
    confirmations: ColumnType<readonly Confirmation[], string, string>;
    /** The snapshot completed by the confirmations, as cards show it. The columns below are derived from it. */
    incident: ColumnType<Snapshot, string, string>;
    is_open: boolean;
    is_acknowledged: boolean;
    root_service: string;
    opened_at: Date;
    closed_at: Date | null;
    /** When the snapshot was requested, by the clock of the requesting process. */
    as_of: Date;
    /** Counts the changes, so that none is overwritten. */
    version: Generated<string>;
    first_signal_count: ColumnType<string, number, never>;
    /** The service no longer has it. */
    is_gone: Generated<boolean>;
    is_unread: Generated<boolean>;
  };
  /** Messages that must be shown exactly once: see `messages.ts`. */
  messages: {
    id: Generated<MessageId>;
    kind: MessageKindName;
    channel_id: PlaceId;
    /** The message whose thread it belongs to; null: not in a thread. */
    thread_ts: string | null;
    /** Id of an incident, a storm or a person, depending on the kind. */
    subject: string;
    /** See `MESSAGE_DATA`. */
    data: ColumnType<unknown, string, string>;
    ts: string | null;
    /** Digest of the content in Slack; null: unknown. */
    digest: string | null;
    needs_redraw: Generated<boolean>;
    /** Counts the changes of the wanted content. */
    revision: Generated<string>;
    urgency: number;
    /** Since when the message is out of date. */
    due_since: Generated<Date>;
    /** When it was first shown; null: never. */
    shown_at: Date | null;
    attempt_id: string | null;
    attempt_first_at: Date | null;
    attempt_last_at: Date | null;
    /** Content of the attempt, for kinds that must repeat it unchanged. */
    attempt_data: ColumnType<unknown, string | null, string | null>;
    /** The next Slack call; generated. */
    next_call: Generated<MessageCall>;
    retry_at: Date | null;
    /** It is not sent before this time; null: it may be sent now. */
    held_until: Date | null;
    failures: Generated<number>;
    /** Failures since it was last shown in which Slack refused this message. */
    refusals: Generated<number>;
    last_error: string | null;
    leased_until: Date | null;
    /** Identifies the last claim. */
    lease: Generated<string>;
    /** The storm message that lists this card's incident. */
    storm_id: StormId | null;
    /** The storm message replaces this card. */
    is_withheld: Generated<boolean>;
    created_at: Generated<Date>;
  };
  actions: {
    id: Generated<ActionId>;
    source: string;
    /** The order in which people asked, whatever the clock does. */
    number: GeneratedAlways<string>;
    kind: ActionKind;
    /** null: it mutes a service or an integration, or ends that. */
    incident_id: IncidentId | null;
    /** See `ACTION_DATA`. */
    data: ColumnType<unknown, string, string>;
    slack_user_id: SlackUserId;
    channel_id: ChannelId | null;
    user_name: string | null;
    origin: string;
    created_at: Generated<Date>;
    attempts: Generated<number>;
    last_error: string | null;
    retry_at: Date | null;
    leased_until: Date | null;
    settled_at: Date | null;
    outcome: AuditEntry['outcome'] | null;
    /** When the service says it was done; null: it was not, or it does not say. */
    effect_at: Date | null;
    /** Answer that the person has not received yet; null: received, or not settled. */
    answer: ColumnType<SlackMessage | null, string | null, string | null>;
  };
  people: {
    slack_user_id: SlackUserId;
    name: string;
    /** null: looked up before this column was there. */
    user_id: Generated<string | null>;
    standing: Standing;
    looked_up_at: Generated<Date>;
  };
  slack_pauses: {
    call: MessageCall | null;
    channel_id: ChannelId | null;
    reason: string;
    failures: number;
    since: Date;
    until: Date;
  };
  audit_log: {
    id: Generated<string>;
    at: Generated<Date>;
    action: string;
    incident_id: IncidentId | null;
    slack_user_id: SlackUserId;
    user_name: string | null;
    channel_id: ChannelId | null;
    origin: string | null;
    outcome: AuditEntry['outcome'];
    detail: string | null;
  };
}
