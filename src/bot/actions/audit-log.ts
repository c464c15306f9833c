import type { Generated } from 'kysely';
import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import { fromNow } from '../../database/lease.ts';
import type { ChannelId, IncidentId, SlackUserId } from '../slack/identifiers.ts';
import type { Tables } from '../tables.ts';

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

declare module '../tables.ts' {
  interface Tables {
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
}

/** Outcomes of actions are recorded by `ActionStore`, in the same statement. */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
  /** Entries of a person, oldest first. */
  list(slackUserId: SlackUserId): Promise<RecordedEntry[]>;
  /** Entries of an incident, oldest first. */
  listOf(incidentId: IncidentId): Promise<RecordedEntry[]>;
  /** The last `limit` entries that are not older than `periodMs`, oldest first. */
  listSince(periodMs: number, limit: number): Promise<RecordedEntry[]>;
}

export function createAuditLog(db: Kysely<Tables>): AuditLog {
  const entries = () => db.selectFrom('audit_log').selectAll();

  return {
    async record(entry) {
      await db.insertInto('audit_log').values(toAuditRow(entry)).execute();
    },

    async list(slackUserId) {
      const rows = await entries().where('slack_user_id', '=', slackUserId).orderBy('id').execute();
      return rows.map(toEntry);
    },

    async listOf(incidentId) {
      const rows = await entries().where('incident_id', '=', incidentId).orderBy('id').execute();
      return rows.map(toEntry);
    },

    async listSince(periodMs, limit) {
      const rows = await entries().where('at', '>=', fromNow(-periodMs)).orderBy('id', 'desc').limit(limit).execute();
      return rows.map(toEntry).reverse();
    },
  };
}

function toEntry(row: Selectable<Tables['audit_log']>): RecordedEntry {
  return {
    at: row.at,
    action: row.action,
    incidentId: row.incident_id,
    slackUserId: row.slack_user_id,
    userName: row.user_name,
    channelId: row.channel_id,
    origin: row.origin,
    outcome: row.outcome,
    detail: row.detail,
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

/** Records an entry for each row of `source`, within a statement. */
export function recordEntry(entry: AuditEntry, source: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into audit_log (action, incident_id, slack_user_id, user_name, channel_id, origin, outcome, detail)
    select ${entry.action}, ${entry.incidentId}, ${entry.slackUserId}, ${entry.userName}, ${entry.channelId},
      ${entry.origin}, ${entry.outcome}, ${entry.detail}
    from ${source}`;
}
