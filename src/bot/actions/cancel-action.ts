import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { isDue } from '../../database/lease.ts';
import { LEASE_MS } from '../../effects/renewal.ts';
import { URGENCY, type Urgency } from '../incident/urgency.ts';
import { tellPerson } from '../messages/notices.ts';
import type { ActionId, SlackUserId } from '../slack/identifiers.ts';
import type { Tables } from '../tables.ts';
import type { Cancellation } from './action.ts';
import { toAction } from './action-rows.ts';
import { auditEntry } from './audit-entry.ts';
import { recordEntry } from './audit-log.ts';
import { type ActionDefinitions, definitionOf } from './definition.ts';

/** Makes what shows the incidents due. @param incidentIds a statement that selects them */
export type RedrawCards = (incidentIds: RawBuilder<unknown>, urgency: Urgency) => RawBuilder<unknown>;

/** See `ActionStore.cancel`. Whoever asked for what somebody else cancels is told. */
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
    .selectAll()
    .where('id', '=', id)
    .where(sql<boolean>`(slack_user_id = ${slackUserId} or ${isResponder}::boolean and kind = 'mute')`)
    .executeTakeFirst();
  if (mine === undefined) {
    return { kind: 'unknown' };
  }
  const action = toAction(mine, definitions);
  const definition = definitionOf(definitions, action.kind);
  const isOwn = action.slackUserId === slackUserId;
  const asked = isOwn ? null : `asked for by ${action.userName ?? action.slackUserId}`;
  const by = { ...action, slackUserId, userName: isOwn ? action.userName : null };
  const isCancelled = await db.transaction().execute(async (tx) => {
    const { rows } = await sql`
      with cancelled as (
        update actions set settled_at = clock_now(), outcome = 'cancelled'
        where id = ${id} and settled_at is null and ${isDue('leased_until', LEASE_MS)}
        returning incident_id
      ), cards as (
        ${redrawCards(sql`select incident_id from cancelled`, URGENCY.person)}
      ), recorded as (
        ${recordEntry(auditEntry(by, definition, 'cancelled', asked), sql`cancelled`)}
      )
      select from cancelled`.execute(tx);
    if (rows.length > 0 && !isOwn) {
      const words = `<@${slackUserId}> cancelled your ${definition.name} of ${definition.subject?.(action).words ?? 'an incident'}.`;
      await tellPerson(tx, `cancelled ${id}`, action.slackUserId, words);
    }
    return rows.length > 0;
  });
  if (isCancelled) {
    return { kind: 'cancelled', action };
  }
  return { kind: mine.settled_at === null ? 'being-sent' : 'settled' };
}
