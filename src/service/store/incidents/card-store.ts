import { type Kysely, sql, type Transaction } from 'kysely';
import type { LinkCardRequest } from '../../../contract/requests.ts';
import type { CardLink } from '../../../contract/resources.ts';
import { CLOCK_NOW } from '../../../database/lease.ts';
import { NotFoundError, TooManyCardsError } from '../../core/errors.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { matches } from './incident-reference.ts';

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
  put(reference: string, card: LinkCardRequest): Promise<void>;
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

    put: (reference, { url, place, integration_id: integrationId }) =>
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
        await recordUseOfSlack(tx, integrationId ?? null);
      }),
  };
}

/**
 * Records the use of Slack, once a minute at most.
 *
 * @param reported the integration that posted, as its bot says. If that is not known, the only one of Slack is meant; with
 *   several, none
 */
async function recordUseOfSlack(tx: Transaction<ServiceTables>, reported: string | null): Promise<void> {
  await sql`
    with slack as (select id from integrations where type = 'slack')
    update integrations set last_used_at = ${CLOCK_NOW}, last_error = null
    where (last_used_at is null or last_used_at <= ${CLOCK_NOW} - interval '1 minute')
      and id = coalesce(
        (select id from slack where id = ${reported}),
        (select min(id) from slack having count(*) = 1)
      )
  `.execute(tx);
}
