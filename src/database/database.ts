import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { type ClientConfig, Pool, type PoolConfig } from 'pg';
import type { Logger } from 'pino';
import { type DatabaseAddress, parseDatabaseUrl } from './database-url.ts';
import { joinEmbeddedPostgres } from './embedded-postgres.ts';
import { DatabaseStartError, DatabaseUnreachableError, describeConnectFailure } from './errors.ts';
import { startListening } from './listen.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const CHECK_TIMEOUT_MS = 5_000;

/**
 * Limits of a part's pool. Longer statements and transactions are mistakes and must not block others. Idle connections are
 * kept, because connecting takes longer than most statements.
 */
const LIMITS: PoolConfig = {
  max: 10,
  idleTimeoutMillis: 5 * 60_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
};

/** Current connections of a pool. */
export interface PoolUsage {
  /** The schema of the pool. */
  readonly name: string;
  readonly used: number;
  readonly idle: number;
  /** Calls that wait for a connection. */
  readonly pending: number;
}
const BEHIND_POOLER =
  'a pooler (such as PgBouncer) drops the settings of our connections; set DATABASE_URL to the server itself';

/** Access to PostgreSQL: the embedded server, or the one in `DATABASE_URL`. */
export interface Database extends AsyncDisposable {
  /**
   * Opens a schema, and creates or migrates it. `migrations` run in the order of their names, each once, in one process at
   * a time. The pool is closed with the database.
   */
  open<Tables>(schema: string, migrations: Readonly<Record<string, Migration>>): Promise<Kysely<Tables>>;
  /**
   * Calls `handler` for each notification on the channel, and after each connect, because notifications may have been
   * missed. Starts in the background and reconnects after a loss. Dispose of it before the database.
   */
  listen(channel: string, handler: () => void): AsyncDisposable;
  /** @throws DatabaseUnreachableError */
  check(): Promise<void>;
  pools(): PoolUsage[];
}

/**
 * @param options.url null: an embedded server in the folder `postgres` of `dataDir`
 * @param options.orphanGraceSeconds see `joinEmbeddedPostgres`
 * @throws DatabaseStartError
 */
export async function openDatabase(options: {
  url: string | null;
  dataDir: string;
  logger: Logger;
  orphanGraceSeconds?: number | undefined;
}): Promise<Database> {
  const { url, dataDir, logger, orphanGraceSeconds } = options;
  if (url === null) {
    const embedded = await joinEmbeddedPostgres({ dataDir, logger, orphanGraceSeconds });
    const address = { connection: embedded.connection, name: 'the embedded one' };
    return createDatabase(address, logger, async () => await embedded[Symbol.asyncDispose]());
  }
  const database = createDatabase(parseDatabaseUrl(url), logger, async () => undefined);
  try {
    await database.check();
  } catch (cause) {
    await database[Symbol.asyncDispose]();
    const message = cause instanceof DatabaseUnreachableError ? cause.message : 'PostgreSQL cannot be reached';
    throw new DatabaseStartError(`${message}; check DATABASE_URL`, { cause });
  }
  return database;
}

function createDatabase(address: DatabaseAddress, logger: Logger, leave: () => Promise<void>): Database {
  const control = createPool(
    address.connection,
    { max: 1, connectionTimeoutMillis: CHECK_TIMEOUT_MS, query_timeout: CHECK_TIMEOUT_MS },
    logger,
  );
  const opened: { destroy(): Promise<void> }[] = [];
  const pools = new Map<string, Pool>();
  return {
    async open<Tables>(schema: string, migrations: Readonly<Record<string, Migration>>) {
      const searchPath = `-c search_path=${schema}`;
      const options = address.connection.options;
      const connection = { ...address.connection, options: options ? `${options} ${searchPath}` : searchPath };
      await migrate(createPool(connection, { max: 1 }, logger), schema, migrations);
      const pool = createPool(connection, LIMITS, logger);
      pools.set(schema, pool);
      const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
      opened.push(db);
      return db;
    },
    listen: (channel, handler) => startListening(address.connection, channel, handler, logger),
    async check() {
      try {
        await control.query('select 1');
      } catch (cause) {
        const reason = describeConnectFailure(cause);
        throw new DatabaseUnreachableError(`PostgreSQL (${address.name}) cannot be reached: ${reason}`, { cause });
      }
    },
    pools: () =>
      [...pools].map(([name, { totalCount, idleCount, waitingCount }]) => ({
        name,
        used: totalCount - idleCount,
        idle: idleCount,
        pending: waitingCount,
      })),
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((db) => db.destroy()));
      await control.end();
      await leave();
    },
  };
}

function createPool(connection: ClientConfig, limits: PoolConfig, logger: Logger): Pool {
  const pool = new Pool({
    ...connection,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    ...limits,
  });
  // A lost connection in use emits an error on the client; without a listener the process would end.
  pool.on('connect', (client) => {
    client.on('error', (error) => logger.warn({ reason: describeConnectFailure(error) }, 'a connection was lost'));
  });
  pool.on('error', () => undefined); // logged by the client, without the connection's details
  return pool;
}

/** Runs pending migrations without a timeout: they may take long, and so may waiting for those of another process. */
async function migrate(pool: Pool, schema: string, migrations: Readonly<Record<string, Migration>>): Promise<void> {
  await using db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const provider = { getMigrations: async () => migrations };
  const migrator = new Migrator({ db, provider, migrationTableSchema: schema });
  const fault = await demandSettings(db, schema).then(
    async () => (await migrator.migrateToLatest()).error,
    (error: unknown) => error,
  );
  if (fault !== undefined) {
    const reason = fault instanceof Error ? fault.message : 'unknown';
    const sentence = reason.startsWith('unsupported startup parameter') ? BEHIND_POOLER : reason;
    throw new DatabaseStartError(`the database schema ${schema} cannot be brought up to date: ${sentence}`, {
      cause: fault,
    });
  }
}

/** PgBouncer refuses or ignores the settings of connections. Without the search path, tables would be in a wrong schema. */
async function demandSettings(db: Kysely<unknown>, schema: string): Promise<void> {
  const { rows } = await sql<{ path: string }>`select current_setting('search_path') as path`.execute(db);
  if (rows[0]?.path !== schema) {
    throw new Error(BEHIND_POOLER);
  }
}
