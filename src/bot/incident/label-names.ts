import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** Incidents that are searched, because each keystroke runs a query. */
const NEWEST_INCIDENTS = 5_000;

export interface LabelNames {
  /** Labels of incidents that contain the text, such as `team:payments`. Those of the newest incidents come first. */
  matching(text: string, limit: number): Promise<string[]>;
  /** Whether the service reports labels; null: there was no incident yet. */
  areReported(): Promise<boolean | null>;
}

export function createLabelNames(db: Kysely<Tables>): LabelNames {
  return {
    async matching(text, limit) {
      const { rows } = await sql<{ word: string }>`
        with newest as (
          select incident->'labels' as labels, opened_at from incidents order by opened_at desc limit ${NEWEST_INCIDENTS}
        ), named as (
          select name || ':' || value as word, opened_at
          from newest, jsonb_each(case jsonb_typeof(labels) when 'object' then labels else '{}' end) as label(name, given),
            jsonb_array_elements_text(case jsonb_typeof(given) when 'array' then given else '[]' end) as value
        )
        select word from named where position(lower(${text}::text) in lower(word)) > 0
        group by word order by max(opened_at) desc, word limit ${limit}`.execute(db);
      return rows.map(({ word }) => word);
    },

    async areReported() {
      const { rows } = await sql<{ reported: boolean }>`
        select incident->'labels' is not null as reported from incidents order by opened_at desc limit 1`.execute(db);
      return rows[0]?.reported ?? null;
    },
  };
}
