import type { Insertable, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** What somebody did or tried, and how it ended. */
export interface AuditEntry {
  readonly at: Date;
  /** `acknowledge`, `resolve`, or what was pressed or typed by somebody who may not. */
  readonly action: string;
  readonly incidentId: string | null;
  readonly slackUserId: string;
  /** As the service was told; null: it was not. */
  readonly userName: string | null;
  readonly channelId: string | null;
  readonly outcome: 'done' | 'already' | 'kept' | 'refused' | 'cancelled';
  /** Why, where there is more to say. */
  readonly detail: string | null;
}

/** What ends an action writes its entry with that end: see `PendingActionStore`. */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
  /** Oldest first. */
  list(slackUserId: string): Promise<AuditEntry[]>;
}

export function createAuditLog(db: Kysely<Tables>): AuditLog {
  return {
    async record(entry) {
      await db.insertInto('audit_log').values(toAuditRow(entry)).execute();
    },

    async list(slackUserId) {
      const rows = await db
        .selectFrom('audit_log')
        .selectAll()
        .where('slack_user_id', '=', slackUserId)
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        at: row.at,
        action: row.action,
        incidentId: row.incident_id,
        slackUserId: row.slack_user_id,
        userName: row.user_name,
        channelId: row.channel_id,
        outcome: row.outcome,
        detail: row.detail,
      }));
    },
  };
}

export function toAuditRow(entry: AuditEntry): Insertable<Tables['audit_log']> {
  return {
    at: entry.at,
    action: entry.action,
    incident_id: entry.incidentId,
    slack_user_id: entry.slackUserId,
    user_name: entry.userName,
    channel_id: entry.channelId,
    outcome: entry.outcome,
    detail: entry.detail,
  };
}
