import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Client, ClientConfig } from 'pg';
import type { Logger } from 'pino';
import { createDatabaseCheck } from './database-check.ts';
import { type DatabaseAddress, parseDatabaseUrl } from './database-url.ts';
import { joinEmbeddedPostgres } from './embedded-postgres.ts';
import { DatabaseStartError, DatabaseUnreachableError } from './errors.ts';
import { startListening } from './listen.ts';
import { startPolling } from './poll.ts';
import { createPoolerDetection } from './pooler.ts';
import { GRACE_MS, PURPOSES, type Purpose, settingsOf, WAIT_MS } from './purposes.ts';
import { createServers } from './servers.ts';
import { createSession, type SessionSettings } from './session.ts';
import { createSessionPool, type PoolUsage, type SessionPool } from './session-pool.ts';

const MIGRATION_CONNECT_MS = 10_000;

/** Names of migrations that remove something that the previous version uses, so that it cannot run beside them. */
const CONTRACTING = /^\d+-contract-/;

/** Kysely's error for a migration that has run in this schema but is unknown to this version. */
const UNKNOWN_MIGRATION = /previously executed migration \S+ is missing/;

/** Access to PostgreSQL: the embedded server, or the one in `DATABASE_URL`. */
export interface Database extends AsyncDisposable {
  /** What another thread of this process needs to connect. */
  readonly source: DatabaseSource;
  /**
   * Opens a schema for the purpose `work`, and creates or migrates it. `migrations` run in the order of their names, each
   * once, in one process at a time. The pool is closed with the database.
   */
  open<Tables>(schema: string, migrations: Readonly<Record<string, Migration>>): Promise<Kysely<Tables>>;
  /** Connections of their own to a schema that was opened. */
  share<Tables>(schema: string, purpose: Purpose): Kysely<Tables>;
  /**
   * Calls `handler` for each notification on the channel, and after each connect, because notifications may have been
   * missed. Starts in the background and reconnects after a loss. Behind a pooler, where nothing can be listened to, it is
   * called all the time instead. Dispose of it before the database.
   */
  listen(channel: string, handler: () => void): AsyncDisposable;
  /** A session without timeouts, for work on the whole database. The caller ends it. */
  connect(): Promise<Client>;
  /** Whether the database can be reached and written to. @throws DatabaseUnreachableError */
  check(): Promise<void>;
  pools(): PoolUsage[];
}

export interface DatabaseOptions {
  /** null: an embedded server in the folder `postgres` of `dataDir` */
  readonly url: string | null;
  /** The server itself, where `url` is a pooler; null or absent: there is no other way. */
  readonly directUrl?: string | null | undefined;
  readonly dataDir: string;
  readonly logger: Logger;
  /** See `joinEmbeddedPostgres`. */
  readonly orphanGraceSeconds?: number | undefined;
  /** Upper bound for statements of every purpose; absent: each has its own. */
  readonly statementMs?: number | undefined;
}

/** @throws DatabaseStartError */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, directUrl = null, dataDir, logger, orphanGraceSeconds, statementMs } = options;
  const build = (source: DatabaseSource, leave: () => Promise<void>) =>
    createDatabase({ source, logger, statementMs: statementMs ?? Number.POSITIVE_INFINITY, leave });
  if (url === null) {
    const embedded = await joinEmbeddedPostgres({ dataDir, logger, orphanGraceSeconds });
    const source = { kind: 'embedded', connection: embedded.connection } as const;
    return build(source, async () => await embedded[Symbol.asyncDispose]());
  }
  const database = build({ kind: 'url', url, directUrl }, async () => undefined);
  try {
    await database.check();
  } catch (cause) {
    await database[Symbol.asyncDispose]();
    const message = cause instanceof DatabaseUnreachableError ? cause.message : 'PostgreSQL cannot be reached';
    throw new DatabaseStartError(`${message}; check DATABASE_URL`, { cause });
  }
  return database;
}

/** What another thread of the process needs to connect: plain data. */
export type DatabaseSource =
  | { readonly kind: 'url'; readonly url: string; readonly directUrl: string | null }
  | { readonly kind: 'embedded'; readonly connection: ClientConfig };

/** Connects another thread of the process. The server is not stopped with it. */
export function joinDatabase(source: DatabaseSource, logger: Logger): Database {
  const leave = async () => undefined;
  return createDatabase({ source, logger, statementMs: Number.POSITIVE_INFINITY, leave });
}

function addressOf({ host = '', port = 5432, ...connection }: ClientConfig): DatabaseAddress {
  return {
    connection,
    hosts: [{ host, port }],
    demandsWrites: false,
    encryption: [false],
    preparesStatements: true,
    connectTimeoutMs: null,
    name: 'the embedded one',
  };
}

interface Parts {
  readonly source: DatabaseSource;
  readonly logger: Logger;
  readonly statementMs: number;
  readonly leave: () => Promise<void>;
}

/** @throws DatabaseStartError */
function createDatabase({ source, logger, statementMs, leave }: Parts): Database {
  const address = source.kind === 'url' ? parseDatabaseUrl(source.url) : addressOf(source.connection);
  const direct = source.kind === 'url' && source.directUrl !== null ? parseDatabaseUrl(source.directUrl) : null;
  const servers = createServers(address, logger);
  const directServers = direct === null ? null : createServers(direct, logger);
  const pooler = createPoolerDetection(servers, address.connection);
  const check = createDatabaseCheck(servers, address.name);
  const opened: { destroy(): Promise<void> }[] = [];
  const pools = new Map<string, SessionPool>();

  function createPool(limits: {
    readonly max: number;
    readonly waitMs: number;
    readonly limitMs: number | null;
    readonly settings: SessionSettings;
  }): SessionPool {
    const { max, waitMs, limitMs, settings } = limits;
    return createSessionPool({
      max,
      waitMs,
      epoch: () => servers.epoch(),
      async open() {
        const isBehindPooler = await pooler.isThere();
        const epoch = servers.epoch();
        const client = await servers.connect(isBehindPooler ? {} : pooler.withOptions(settings), waitMs);
        const perTransaction = isBehindPooler ? settings : null;
        const prepares = perTransaction === null && address.preparesStatements;
        const onFault = (error: unknown) => check.noticeFault(error);
        return createSession(client, { epoch, limitMs, perTransaction, prepares, onFault });
      },
    });
  }

  function share<Tables>(schema: string, purpose: Purpose): Kysely<Tables> {
    const limits = PURPOSES[purpose];
    const ownMs = Math.min(limits.statementMs, statementMs);
    const settings = settingsOf(schema, limits, ownMs);
    const pool = createPool({ max: limits.max, waitMs: WAIT_MS, limitMs: ownMs + GRACE_MS, settings });
    pools.set(purpose === 'work' ? schema : `${schema} ${purpose}`, pool);
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    opened.push(db);
    return db;
  }

  return {
    source,
    async open<Tables>(schema: string, migrations: Readonly<Record<string, Migration>>) {
      const settings = { search_path: schema };
      const pool = createPool({ max: 1, waitMs: MIGRATION_CONNECT_MS, limitMs: null, settings });
      await migrate(pool, schema, migrations);
      return share<Tables>(schema, 'work');
    },
    share,
    listen: (channel, handler) =>
      directServers === null && pooler.wasFound()
        ? startPolling(channel, handler, logger)
        : startListening(directServers ?? servers, channel, handler, logger),
    connect: () => servers.connect({}, MIGRATION_CONNECT_MS),
    check: () => check.run(),
    pools: () => [...pools].map(([name, pool]) => ({ name, ...pool.usage() })),
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((db) => db.destroy()));
      await check[Symbol.asyncDispose]();
      await servers[Symbol.asyncDispose]();
      await directServers?.[Symbol.asyncDispose]();
      await leave();
    },
  };
}

/**
 * Runs pending migrations without a timeout: they may take long, and so may waiting for those of another process. What a
 * newer version has added is left alone.
 *
 * @throws DatabaseStartError also if a newer version has taken away what this one uses
 */
async function migrate(
  pool: SessionPool,
  schema: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  await using db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const known = { ...migrations, ...(await findExpansions(db, schema, migrations)) };
  const provider = { getMigrations: async () => known };
  const migrator = new Migrator({ db, provider, migrationTableSchema: schema });
  const { error: fault } = await migrator.migrateToLatest();
  if (fault !== undefined) {
    const reason = fault instanceof Error ? fault.message : 'unknown';
    if (UNKNOWN_MIGRATION.test(reason)) {
      throw new DatabaseStartError(
        `the database schema ${schema} was migrated by a newer version of Tocsin, which this one cannot work with; start the newer version, or restore a backup from before the upgrade`,
        { cause: fault },
      );
    }
    throw new DatabaseStartError(`the database schema ${schema} cannot be brought up to date: ${reason}`, {
      cause: fault,
    });
  }
}

/** Migrations of a newer version that only added something. They do nothing, so that Kysely accepts the schema. */
async function findExpansions(
  db: Kysely<unknown>,
  schema: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<Record<string, Migration>> {
  const table = `${schema}.kysely_migration`;
  const { rows: found } = await sql<{ exists: boolean }>`select to_regclass(${table}) is not null as exists`.execute(
    db,
  );
  if (found[0]?.exists !== true) {
    return {};
  }
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(db);
  const added = rows.filter(({ name }) => !(Object.hasOwn(migrations, name) || CONTRACTING.test(name)));
  return Object.fromEntries(added.map(({ name }) => [name, { up: async () => undefined }]));
}
