/** What somebody did or tried, and how it ended. */
export interface AuditEntry {
  /** `acknowledge`, `resolve`, or the control that somebody without permission used. */
  readonly action: string;
  readonly incidentId: string | null;
  readonly slackUserId: string;
  /** The name that the service was given; null: it was not called. */
  readonly userName: string | null;
  readonly channelId: string | null;
  readonly outcome: 'done' | 'already' | 'kept' | 'refused' | 'cancelled';
  /** Reason or error, where there is one. */
  readonly detail: string | null;
}
