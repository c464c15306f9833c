import type { ChannelId, IncidentId, SlackUserId } from './identifiers.ts';
/** @see AuditEntry */
export interface RecordedEntry extends AuditEntry {
  readonly at: Date;
}

/** An action of a person and its outcome. */
export interface AuditEntry {
  /** The kind of an action, or the id of a control that was used without permission. */
  readonly action: string;
  readonly incidentId: IncidentId | null;
  readonly slackUserId: SlackUserId;
  /** The name sent to the service; null: the service was not called. */
  readonly userName: string | null;
  readonly channelId: ChannelId | null;
  /** The command or control that was used; null: unknown. */
  readonly origin: string | null;
  readonly outcome: 'done' | 'already' | 'asked' | 'void' | 'kept' | 'refused' | 'cancelled';
  /** Reason or error; null: none. */
  readonly detail: string | null;
}
