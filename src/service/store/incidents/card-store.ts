import { type Kysely, sql, type Transaction } from 'kysely';
import type { CardLink } from '../../../contract/resources.ts';
import { CLOCK_NOW } from '../../../database/lease.ts';
import { NotFoundError, TooManyCardsError } from '../../core/errors.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { matches } from './incident-store.ts';

/** Cards of one incident. */
export const MAX_CARDS = 10;

/** Addresses of the messages about incidents in chats. They are no part of an incident's state, and write no event. */
export interface CardStore {
  /** By place. */
  list(incidentId: string): Promise<CardLink[]>;
  /**
   * Replaces the address of the same place.
   *
   * @param reference the id of the incident, or the number
   * @throws {NotFoundError}
   * @throws {TooManyCardsError}
   */
  put(reference: string, card: CardLink): Promise<void>;
}

export function createCardStore(db: Kysely<ServiceTables>): CardStore {
  return {
    list: (incidentId) =>
      db
        .selectFrom('incident_cards')
        .select(['url', 'place'])
        .where('incident_id', '=', incidentId)
        .orderBy('place')
        .execute(),

    put: (reference, { url, place }) =>
      db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ id: string }>`
          select id from incidents where ${matches(reference)} for no key update
        `.execute(tx);
        const [incident] = rows;
        if (incident === undefined) {
          throw new NotFoundError('incident', reference);
        }
        const others = await tx
          .selectFrom('incident_cards')
          .select('place')
          .where('incident_id', '=', incident.id)
          .where('place', '<>', place)
          .execute();
        if (others.length >= MAX_CARDS) {
          throw new TooManyCardsError(incident.id, MAX_CARDS);
        }
        await tx
          .insertInto('incident_cards')
          .values({ incident_id: incident.id, place, url })
          .onConflict((conflict) => conflict.columns(['incident_id', 'place']).doUpdateSet({ url }))
          .execute();
        await recordUseOfSlack(tx);
      }),
  };
}

/** Records the use of Slack, once a minute at most. Does nothing with several workspaces, as any may have the card. */
async function recordUseOfSlack(tx: Transaction<ServiceTables>): Promise<void> {
  await sql`
    update integrations set last_used_at = ${CLOCK_NOW}, last_error = null
    where type = 'slack' and (last_used_at is null or last_used_at <= ${CLOCK_NOW} - interval '1 minute')
      and (select count(*) from integrations where type = 'slack') = 1
  `.execute(tx);
}
