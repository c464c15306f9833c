import { type RawBuilder, type Selectable, sql } from 'kysely';
import { ACTION_DATA, type Action } from '../domain/action.ts';
import type { Tables } from './tables.ts';

/** Renewed by the process that performs the action. After this, another process takes over. */
export const ACTION_LEASE_MS = 8_000;

export type ActionRow = Selectable<Tables['actions']>;

export function toAction(row: ActionRow): Action {
  const { kind, incident_id: incidentId } = row;
  return {
    id: row.id,
    slackUserId: row.slack_user_id,
    channelId: row.channel_id,
    userName: row.user_name,
    origin: row.origin,
    attempts: row.attempts,
    keptAt: row.created_at,
    kind,
    incidentId,
    ...ACTION_DATA[kind].parse(row.data),
  } as Action; // `ACTION_DATA` has the data of each kind, and the database checks which kinds have an incident
}

/** Whether another action, `other`, is about the same incident, mute or declaration. */
export function isAboutTheSame(action: Action): RawBuilder<boolean> {
  if (action.incidentId !== null) {
    return sql`other.incident_id = ${action.incidentId}`;
  }
  return action.kind === 'declare'
    ? sql`other.kind = 'declare' and other.slack_user_id = ${action.slackUserId}
        and other.data->>'service' = ${action.service} and other.data->>'title' = ${action.title}`
    : sql`other.incident_id is null and other.data->>'target' = ${action.target} and other.data->>'value' = ${action.value}`;
}
