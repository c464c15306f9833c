import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { isDue } from '../../database/lease.ts';
import { LEASE_MS } from '../../effects/renewal.ts';
import { URGENCY, type Urgency } from '../incident/urgency.ts';
import type { ActionId, SlackUserId } from '../slack/identifiers.ts';
import type { Tables } from '../tables.ts';
import type { Cancellation } from './action.ts';
import { type ActionRow, toAction } from './action-rows.ts';
import type { ActionDefinitions } from './definition.ts';

/** Makes what shows the incidents due. @param incidentIds a statement that selects them */
export type RedrawCards = (incidentIds: RawBuilder<unknown>, urgency: Urgency) => RawBuilder<unknown>;

/** See `ActionStore.cancel`. */
export async function cancelAction(
  {
    db,
    definitions,
    redrawCards,
  }: {
    readonly db: Kysely<Tables>;
    readonly definitions: ActionDefinitions;
    readonly redrawCards: RedrawCards;
  },
  id: ActionId,
  slackUserId: SlackUserId,
  isResponder: boolean,
): Promise<Cancellation> {
  if (!z.uuid().safeParse(id).success) {
    return { kind: 'unknown' };
  }
  const mine = await db
    .selectFrom('actions')
    .select('settled_at')
    .where('id', '=', id)
    .where(sql<boolean>`(slack_user_id = ${slackUserId} or ${isResponder}::boolean and kind = 'mute')`)
    .executeTakeFirst();
  if (mine === undefined) {
    return { kind: 'unknown' };
  }
  const { rows } = await sql<ActionRow>`
    with cancelled as (
      update actions set settled_at = clock_now(), outcome = 'cancelled'
      where id = ${id} and settled_at is null and ${isDue('leased_until', LEASE_MS)}
      returning *
    ), cards as (
      ${redrawCards(sql`select incident_id from cancelled`, URGENCY.person)}
    ), recorded as (
      insert into audit_log (action, incident_id, slack_user_id, user_name, channel_id, origin, outcome)
      select kind, incident_id, slack_user_id, user_name, channel_id, origin, outcome from cancelled
    )
    select * from cancelled`.execute(db);
  if (rows[0] !== undefined) {
    return { kind: 'cancelled', action: toAction(rows[0], definitions) };
  }
  return { kind: mine.settled_at === null ? 'being-sent' : 'settled' };
}
