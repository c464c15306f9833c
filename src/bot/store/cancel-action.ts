import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { isDue } from '../../database/lease.ts';
import type { Cancellation } from '../domain/action.ts';
import type { ActionId, SlackUserId } from '../domain/identifiers.ts';
import { URGENCY } from '../domain/urgency.ts';
import { ACTION_LEASE_MS, type ActionRow, toAction } from './action-rows.ts';
import { redrawCards } from './cards.ts';
import type { Tables } from './tables.ts';

/** See `ActionStore.cancel`. */
export async function cancelAction(
  db: Kysely<Tables>,
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
      where id = ${id} and settled_at is null and ${isDue('leased_until', ACTION_LEASE_MS)}
      returning *
    ), cards as (
      ${redrawCards(sql`select incident_id from cancelled`, URGENCY.person)}
    ), recorded as (
      insert into audit_log (action, incident_id, slack_user_id, user_name, channel_id, origin, outcome)
      select kind, incident_id, slack_user_id, user_name, channel_id, origin, outcome from cancelled
    )
    select * from cancelled`.execute(db);
  if (rows[0] !== undefined) {
    return { kind: 'cancelled', action: toAction(rows[0]) };
  }
  return { kind: mine.settled_at === null ? 'being-sent' : 'settled' };
}
