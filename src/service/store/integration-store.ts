import { createHash } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { CreateIntegrationRequest } from '../../contract/requests.ts';
import { createId } from '../core/ids.ts';
import { type Integration, naturalKeyOf } from '../core/integration.ts';
import { toStorableJson } from './json.ts';
import { type Page, type PageRequest, toPage } from './page.ts';
import type { ServiceTables } from './tables.ts';

export interface IntegrationStore {
  /** Newest first. */
  list(page: PageRequest): Promise<Page<Integration>>;
  /** The one that stands when the request means the same as an earlier one. */
  create(request: CreateIntegrationRequest, now: Date): Promise<{ integration: Integration; created: boolean }>;
  /** false: there was none. */
  delete(id: string): Promise<boolean>;
}

export function createIntegrationStore(db: Kysely<ServiceTables>): IntegrationStore {
  return {
    async list({ limit, offset, after = null }) {
      const [rows, { total }] = await Promise.all([
        db
          .selectFrom('integrations')
          .selectAll()
          .where(after === null ? sql<boolean>`true` : sql<boolean>`(created_at, id) < (${after.at}, ${after.id})`)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit + 1)
          .offset(offset)
          .execute(),
        db
          .selectFrom('integrations')
          .select(({ fn }) => fn.countAll<string>().as('total'))
          .executeTakeFirstOrThrow(),
      ]);
      return toPage(rows.map(toIntegration), limit, Number(total), ({ createdAt }) => createdAt);
    },

    async create(request, now) {
      const naturalKey = naturalKeyOf(request);
      const digest = naturalKey === null ? null : createHash('sha256').update(naturalKey).digest('hex');
      // The update changes nothing: it makes the row that stands come back. xmax is 0 only for a new row.
      const { rows } = await sql<Selectable<ServiceTables['integrations']> & { created: boolean }>`
        insert into integrations (id, type, name, config, natural_key, created_at)
        values (${createId('int', now)}, ${request.type}, ${request.name ?? null},
          ${toStorableJson(request.config)}::jsonb, ${digest}, ${now})
        on conflict (natural_key) do update set natural_key = excluded.natural_key
        returning *, xmax = 0 as created
      `.execute(db);
      const [row] = rows;
      if (row === undefined) {
        throw new Error('insert returned no row');
      }
      return { integration: toIntegration(row), created: row.created };
    },

    async delete(id) {
      const { numDeletedRows } = await db.deleteFrom('integrations').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function toIntegration(row: Selectable<ServiceTables['integrations']>): Integration {
  return {
    id: row.id,
    type: row.type as Integration['type'], // only `create` writes it
    name: row.name,
    config: row.config,
    createdAt: row.created_at,
  };
}
