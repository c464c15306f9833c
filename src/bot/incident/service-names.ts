import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** Bounds the work of one keystroke. */
const NEWEST_INCIDENTS = 5_000;

export interface ServiceNames {
  /** Services of incidents whose name contains the text: first those that begin with it, the latest to fail first. */
  matching(text: string, limit: number): Promise<string[]>;
}

export function createServiceNames(db: Kysely<Tables>): ServiceNames {
  return {
    async matching(text, limit) {
      const { rows } = await sql<{ name: string }>`
        with newest as (
          select root_service, incident->'services' as services, opened_at from incidents
          order by opened_at desc limit ${NEWEST_INCIDENTS}
        ), named as (
          select root_service as name, opened_at from newest
          union all
          select jsonb_array_elements_text(services), opened_at from newest where jsonb_typeof(services) = 'array'
        )
        select name from named where name <> '' and position(lower(${text}::text) in lower(name)) > 0
        group by name
        order by starts_with(lower(name), lower(${text}::text)) desc, max(opened_at) desc, name
        limit ${limit}`.execute(db);
      return rows.map(({ name }) => name);
    },
  };
}
