import { addMilliseconds } from 'date-fns/addMilliseconds';
import { isAfter } from 'date-fns/isAfter';
import { min } from 'date-fns/min';
import { subMinutes } from 'date-fns/subMinutes';
import { type Kysely, sql } from 'kysely';
import type { Scope } from '../../contract/routes.ts';
import { type ApiKey, isWorking } from '../core/api-key.ts';
import { createId } from '../core/ids.ts';
import { createRawKey, findLookup, isRightKey, SCOPE_TAGS } from './key-secret.ts';
import type { ServiceTables } from './tables.ts';

export interface ApiKeyStore {
  /** The raw value is in this answer and nowhere else. */
  create(name: string, scope: Scope, now: Date): Promise<{ key: ApiKey; rawKey: string }>;
  /** The key that the raw value opens, or null: not ours, wrong, expired or revoked. Notes that it was used. */
  authenticate(rawKey: string, now: Date): Promise<ApiKey | null>;
  /** Newest first. */
  list(): Promise<ApiKey[]>;
  /** false: there is no such key. A second time changes nothing. */
  revoke(id: string, now: Date): Promise<boolean>;
  /**
   * Makes a new key of the same name and scope; the old one works for `graceMs` more, or less if it was to end before.
   *
   * @returns null: there is no such key, or it works no more
   */
  rotate(id: string, graceMs: number, now: Date): Promise<Rotation | null>;
}

export interface Rotation {
  readonly key: ApiKey;
  /** In this answer and nowhere else. */
  readonly rawKey: string;
  readonly oldWorksUntil: Date;
}

export function createApiKeyStore(db: Kysely<ServiceTables>): ApiKeyStore {
  return {
    create: (name, scope, now) => insertKey(db, { name, scope, integration_id: null }, now),

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
      if (!isRightKey(rawKey, row ?? null) || row === undefined || !isWorking(toApiKey(row), now)) {
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

    revoke: (id, now) =>
      db.transaction().execute(async (tx) => {
        const row = await tx
          .updateTable('api_keys')
          .set((eb) => ({ revoked_at: eb.fn.coalesce(eb.ref('revoked_at'), eb.val(now)) }))
          .where('id', '=', id)
          .returning('integration_id')
          .executeTakeFirst();
        if (row?.integration_id != null) {
          await disableWithoutKey(tx, row.integration_id, now);
        }
        return row !== undefined;
      }),

    rotate: (id, graceMs, now) =>
      db.transaction().execute(async (tx) => {
        const row = await tx.selectFrom('api_keys').select(COLUMNS).where('id', '=', id).forUpdate().executeTakeFirst();
        if (row === undefined || !isWorking(toApiKey(row), now)) {
          return null;
        }
        const graceEndsAt = addMilliseconds(now, graceMs);
        const oldWorksUntil = min([graceEndsAt, row.expires_at ?? graceEndsAt]);
        await tx.updateTable('api_keys').set({ expires_at: oldWorksUntil }).where('id', '=', id).execute();
        return { ...(await insertKey(tx, row, now)), oldWorksUntil };
      }),
  };
}

/** An integration that nobody can send through any more. A key that a rotation has replaced is about to end. */
async function disableWithoutKey(tx: Kysely<ServiceTables>, integrationId: string, now: Date): Promise<void> {
  await sql`
    update integrations set disabled_at = ${now}
    where id = ${integrationId} and disabled_at is null and not exists (
      select from api_keys where integration_id = ${integrationId} and revoked_at is null and expires_at is null
    )
  `.execute(tx);
}

/** Whoever calls it may be in a transaction. */
export async function insertKey(
  db: Kysely<ServiceTables>,
  { name, scope, integration_id }: Pick<ApiKeyRow, 'name' | 'scope' | 'integration_id'>,
  now: Date,
) {
  const { rawKey, secret } = createRawKey(scope);
  const row = await db
    .insertInto('api_keys')
    .values({ id: createId('key', now), name, scope, integration_id, created_at: now, ...secret })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return { key: toApiKey(row), rawKey };
}

const COLUMNS = [
  'id',
  'lookup',
  'name',
  'scope',
  'created_at',
  'last_used_at',
  'expires_at',
  'revoked_at',
  'integration_id',
] as const;

interface ApiKeyRow {
  readonly id: string;
  readonly lookup: string;
  readonly name: string;
  readonly scope: Scope;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly integration_id: string | null;
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    scope: row.scope,
    integrationId: row.integration_id,
    hint: `tcn_${SCOPE_TAGS[row.scope]}_${row.lookup}_…`,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
