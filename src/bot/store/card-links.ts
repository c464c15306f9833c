import { type Kysely, sql } from 'kysely';
import type { ChannelId, IncidentId } from '../domain/identifiers.ts';
import type { Tables } from './tables.ts';

export interface UnlinkedCard {
  readonly id: string;
  readonly incidentId: IncidentId;
  readonly channelId: ChannelId;
  readonly ts: string;
}

/** Tracks which card addresses the service has. A card that was posted again has a new address. */
export interface CardLinkStore {
  /** Cards in channels whose address the service lacks, of incidents of a service with our additions; oldest first. */
  unlinked(limit: number): Promise<UnlinkedCard[]>;
  markLinked(card: UnlinkedCard): Promise<void>;
}

export function createCardLinkStore(db: Kysely<Tables>): CardLinkStore {
  return {
    async unlinked(limit) {
      const { rows } = await sql<UnlinkedCard>`
        select id, subject as "incidentId", channel_id as "channelId", ts from messages
        where kind = 'card' and ts is not null and data->>'linkedTs' is distinct from ts and channel_id !~ '^[UW]'
          and subject in (select incident_id from incidents where not is_gone and incident ? 'mute')
        order by ts limit ${limit}`.execute(db);
      return rows;
    },

    async markLinked({ id, ts }) {
      await sql`
        update messages set data = data || ${JSON.stringify({ linkedTs: ts })}::jsonb where id = ${id}`.execute(db);
    },
  };
}
