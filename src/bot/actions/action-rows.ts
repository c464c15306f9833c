import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { ActionId, ChannelId, IncidentId, SlackUserId } from '../slack/identifiers.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import type { Tables } from '../tables.ts';
import type { Action, ActionKind } from './action.ts';
import type { AuditEntry } from './audit-log.ts';
import { type ActionDefinitions, definitionOf } from './definition.ts';

declare module '../tables.ts' {
  interface Tables {
    actions: {
      id: Generated<ActionId>;
      source: string;
      /** The order in which people asked, whatever the clock does. */
      number: GeneratedAlways<string>;
      kind: ActionKind;
      /** null: it mutes a service or an integration, or ends that. */
      incident_id: IncidentId | null;
      /** See `ActionDefinition.data`. */
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
  }
}

export type ActionRow = Selectable<Tables['actions']>;

export function toAction(row: ActionRow, definitions: ActionDefinitions): Action {
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
    ...definitionOf(definitions, kind).data.parse(row.data),
  } as Action; // its kind reads its data, and the database checks which kinds have an incident
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
