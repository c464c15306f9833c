import { isAfter } from 'date-fns/isAfter';
import { subMinutes } from 'date-fns/subMinutes';
import type { Kysely } from 'kysely';
import type { Scope } from '../../contract/routes.ts';
import type { ApiKey } from '../core/api-key.ts';
import { createId } from '../core/ids.ts';
import { createRawKey, findLookup, isRightKey } from './key-secret.ts';
import type { ServiceTables } from './tables.ts';

export interface ApiKeyStore {
  /** The raw value is in this answer and nowhere else. */
  create(name: string, scope: Scope, now: Date): Promise<{ key: ApiKey; rawKey: string }>;
  /** The key that the raw value opens, or null: not ours, wrong or revoked. Notes that it was used. */
  authenticate(rawKey: string, now: Date): Promise<ApiKey | null>;
  /** Newest first. */
  list(): Promise<ApiKey[]>;
  /** false: there is no such key. A second time changes nothing. */
  revoke(id: string, now: Date): Promise<boolean>;
}

export function createApiKeyStore(db: Kysely<ServiceTables>): ApiKeyStore {
  return {
    async create(name, scope, now) {
      const { rawKey, secret } = createRawKey(scope);
      const row = await db
        .insertInto('api_keys')
        .values({ id: createId('key', now), name, scope, created_at: now, ...secret })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow();
      return { key: toApiKey(row), rawKey };
    },

    async authenticate(rawKey, now) {
      const lookup = findLookup(rawKey);
      if (lookup === null) {
        return null;
      }
      const row = await db
        .selectFrom('api_keys')
        .select([...COLUMNS, 'salt', 'hash'])
        .where('lookup', '=', lookup)
        .executeTakeFirst();
      if (!isRightKey(rawKey, row ?? null) || row === undefined || row.revoked_at !== null) {
        return null;
      }
      if (row.last_used_at === null || !isAfter(row.last_used_at, subMinutes(now, 1))) {
        await db.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', row.id).execute();
      }
      return toApiKey(row);
    },

    async list() {
      const rows = await db
        .selectFrom('api_keys')
        .select(COLUMNS)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toApiKey);
    },

    async revoke(id, now) {
      const { numUpdatedRows } = await db
        .updateTable('api_keys')
        .set((eb) => ({ revoked_at: eb.fn.coalesce(eb.ref('revoked_at'), eb.val(now)) }))
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

const COLUMNS = ['id', 'lookup', 'name', 'scope', 'created_at', 'last_used_at', 'revoked_at'] as const;

interface ApiKeyRow {
  readonly id: string;
  readonly lookup: string;
  readonly name: string;
  readonly scope: Scope;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    scope: row.scope,
    hint: `tcn_${row.scope === 'read-only' ? 'ro' : 'rw'}_${row.lookup}_…`,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
