import type { Insertable, Kysely } from 'kysely';
import type { AuditEntry } from '../domain/audit-entry.ts';
import type { Tables } from './tables.ts';

/** Outcomes of actions are recorded by `ActionStore`, in the same statement. */
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
        action: row.action,
        incidentId: row.incident_id,
        slackUserId: row.slack_user_id,
        userName: row.user_name,
        channelId: row.channel_id,
        origin: row.origin,
        outcome: row.outcome,
        detail: row.detail,
      }));
    },
  };
}

function toAuditRow(entry: AuditEntry): Insertable<Tables['audit_log']> {
  return {
    action: entry.action,
    incident_id: entry.incidentId,
    slack_user_id: entry.slackUserId,
    user_name: entry.userName,
    channel_id: entry.channelId,
    origin: entry.origin,
    outcome: entry.outcome,
    detail: entry.detail,
  };
}
