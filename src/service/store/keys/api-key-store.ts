import { type Kysely, sql, type Transaction } from 'kysely';
import type { Scope } from '../../../contract/route.ts';
import type { Database } from '../../../database/database.ts';
import { addMilliseconds, isAfter, min, subMinutes } from '../../../runtime/dates.ts';
import { type ApiKey, isWorking } from '../../core/api-key.ts';
import { createId } from '../../core/ids.ts';
import { KEY_ACTORS, type KeyEvent } from '../../core/key-event.ts';
import type { KeyActor } from '../../core/session.ts';
import { notifyReaders } from '../events/event-store.ts';
import { serviceMigrations } from '../schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../schema/tables.ts';
import { listKeyEvents, recordKeyEvent } from './key-events.ts';
import { createRawKey, findLookup, isRightKey, type KeySecret, SCOPE_TAGS, seal } from './key-secret.ts';

export interface ApiKeyStore {
  /** The raw value is not stored. */
  create(
    name: string,
    scope: Scope,
    now: Date,
    by: KeyActor,
    expiresAt?: Date | null,
  ): Promise<{ key: ApiKey; rawKey: string }>;
  /**
   * Creates the first key, read-write. When several processes start at once, only one creates it.
   *
   * @param given the read-write key to use; null: a new one is generated
   * @returns null: keys exist already
   */
  createFirst(given: string | null, now: Date): Promise<{ key: ApiKey; rawKey: string } | null>;
  /** Finds the key of a raw value and records its use. null: unknown, wrong, expired or revoked. */
  authenticate(rawKey: string, now: Date): Promise<ApiKey | null>;
  /** Newest first. */
  list(): Promise<ListedKey[]>;
  /** false: not found. Revoking twice changes nothing. */
  revoke(id: string, now: Date, by: KeyActor): Promise<boolean>;
  /**
   * Creates a new key of the same name and scope, which does not expire. The old one works for another `graceMs`, or
   * until its earlier end.
   *
   * @returns null: not found, or it does not work any more
   */
  rotate(id: string, graceMs: number, now: Date, by: KeyActor): Promise<Rotation | null>;
  /** The latest changes of keys, newest first. */
  history(limit: number): Promise<KeyEvent[]>;
}

export interface ListedKey extends ApiKey {
  /** The name of the key or person that created it, or one of `KEY_ACTORS`. */
  readonly createdBy: string | null;
  /** By a rotation; it still works until it expires. */
  readonly isReplaced: boolean;
}

export interface Rotation {
  readonly key: ApiKey;
  /** Not stored. */
  readonly rawKey: string;
  readonly oldWorksUntil: Date;
}

type Tx = Transaction<ServiceTables>;

/** For commands that work without a running service. It is closed with the database. */
export async function openApiKeyStore(database: Database): Promise<ApiKeyStore> {
  return createApiKeyStore(await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations));
}

export function createApiKeyStore(db: Kysely<ServiceTables>): ApiKeyStore {
  return {
    create: (name, scope, now, by, expiresAt = null) =>
      db
        .transaction()
        .execute((tx) => insertKey(tx, { name, scope, integration_id: null, expires_at: expiresAt }, now, by)),

    async createFirst(given, now) {
      if (await hasKeys(db)) {
        return null;
      }
      return db.transaction().execute(async (tx) => {
        await sql`lock table api_keys in share row exclusive mode`.execute(tx);
        if (await hasKeys(tx)) {
          return null;
        }
        return given === null
          ? insertKey(tx, { name: 'first key', scope: 'read-write', integration_id: null }, now, KEY_ACTORS.start)
          : insertGivenKey(tx, given, now);
      });
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
        .select([createdBy, isReplaced])
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map((row) => ({ ...toApiKey(row), createdBy: row.created_by, isReplaced: row.is_replaced }));
    },

    revoke: (id, now, by) =>
      db.transaction().execute(async (tx) => {
        const row = await tx.selectFrom('api_keys').select(COLUMNS).where('id', '=', id).forUpdate().executeTakeFirst();
        if (row === undefined || row.revoked_at !== null) {
          return row !== undefined;
        }
        await tx.updateTable('api_keys').set({ revoked_at: now }).where('id', '=', id).execute();
        await recordKeyEvent(tx, { keyId: id, type: 'revoked', by, at: now });
        await notifyReaders(tx); // its streams end at once
        if (row.integration_id !== null) {
          await disableWithoutKey(tx, row.integration_id, now);
        }
        return true;
      }),

    rotate: (id, graceMs, now, by) =>
      db.transaction().execute(async (tx) => {
        const row = await tx.selectFrom('api_keys').select(COLUMNS).where('id', '=', id).forUpdate().executeTakeFirst();
        if (row === undefined || !isWorking(toApiKey(row), now)) {
          return null;
        }
        const graceEndsAt = addMilliseconds(now, graceMs);
        const oldWorksUntil = min([graceEndsAt, row.expires_at ?? graceEndsAt]);
        await tx.updateTable('api_keys').set({ expires_at: oldWorksUntil }).where('id', '=', id).execute();
        const successor = await insertKey(tx, { ...row, expires_at: null }, now, by);
        await recordKeyEvent(tx, { keyId: id, type: 'rotated', by, successorId: successor.key.id, at: now });
        return { ...successor, oldWorksUntil };
      }),

    history: (limit) => listKeyEvents(db, limit),
  };
}

/** Disables an integration without working keys. A rotated key does not count, because it is about to end. */
async function disableWithoutKey(tx: Tx, integrationId: string, now: Date): Promise<void> {
  await sql`
    update integrations set disabled_at = ${now}
    where id = ${integrationId} and disabled_at is null and not exists (
      select from api_keys where integration_id = ${integrationId} and revoked_at is null and expires_at is null
    )
  `.execute(tx);
}

async function hasKeys(db: Kysely<ServiceTables>): Promise<boolean> {
  return (await db.selectFrom('api_keys').select('id').limit(1).executeTakeFirst()) !== undefined;
}

type NewKey = Pick<ApiKeyRow, 'name' | 'scope' | 'integration_id'> & { readonly expires_at?: Date | null };

export async function insertKey(tx: Tx, key: NewKey, now: Date, by: KeyActor) {
  const { rawKey, secret } = createRawKey(key.scope);
  const sealed = await insertSealed(tx, { ...key, secret }, now);
  await recordKeyEvent(tx, { keyId: sealed.id, type: 'created', by, at: now });
  return { key: sealed, rawKey };
}

async function insertGivenKey(tx: Tx, rawKey: string, now: Date) {
  const lookup = findLookup(rawKey);
  if (lookup === null) {
    throw new TypeError('the first key is not a valid key');
  }
  const secret = seal(rawKey, lookup);
  const key = await insertSealed(tx, { name: 'bootstrap', scope: 'read-write', integration_id: null, secret }, now);
  await recordKeyEvent(tx, { keyId: key.id, type: 'bootstrapped', by: KEY_ACTORS.start, at: now });
  return { key, rawKey };
}

async function insertSealed(
  tx: Tx,
  { name, scope, integration_id, expires_at = null, secret }: NewKey & { readonly secret: KeySecret },
  now: Date,
): Promise<ApiKey> {
  const row = await tx
    .insertInto('api_keys')
    .values({ id: createId('key', now), name, scope, integration_id, expires_at, created_at: now, ...secret })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return toApiKey(row);
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

const createdBy = sql<string | null>`(
  select coalesce(who.name, event.actor) from api_key_events event left join api_keys who on who.id = event.actor
  where event.key_id = api_keys.id and event.type in ('created', 'bootstrapped') order by event.id limit 1
)`.as('created_by');

const isReplaced = sql<boolean>`exists (
  select from api_key_events event where event.key_id = api_keys.id and event.type = 'rotated'
)`.as('is_replaced');

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
