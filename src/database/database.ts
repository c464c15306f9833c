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
 * Of a part's own pool. A statement or a transaction that takes longer than this is a mistake, and must not hold others
 * up. Making a connection takes longer than most statements, so one is kept for a while.
 */
const LIMITS: PoolConfig = {
  max: 10,
  idleTimeoutMillis: 5 * 60_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
};

/** Connections of one pool, now. */
export interface PoolFigures {
  /** The schema that it was opened for. */
  readonly name: string;
  readonly used: number;
  readonly idle: number;
  /** Calls that wait for a connection. */
  readonly pending: number;
}
const BEHIND_POOLER =
  'a pooler in between (such as PgBouncer) holds back what our connections set; name the server itself in DATABASE_URL';

/** The one door to PostgreSQL: the embedded one, or the one that `DATABASE_URL` names. */
export interface Database extends AsyncDisposable {
  /**
   * Kysely over a schema, which is made if need be and brought up to date: `migrations` run in the order of their names,
   * each once, one process at a time. It is closed with the database.
   */
  open<Tables>(schema: string, migrations: Readonly<Record<string, Migration>>): Promise<Kysely<Tables>>;
  /**
   * Calls `handler` whenever something was notified on the channel, and when it may have been: after each connect. It
   * starts in the background, comes back by itself after a loss, and is to be disposed of before the database.
   */
  listen(channel: string, handler: () => void): AsyncDisposable;
  /** @throws DatabaseUnreachableError */
  check(): Promise<void>;
  pools(): PoolFigures[];
}

/**
 * @param options.url null: a PostgreSQL of our own, in the folder `postgres` of `dataDir`
 * @throws DatabaseStartError
 */
export async function openDatabase(options: {
  url: string | null;
  dataDir: string;
  logger: Logger;
}): Promise<Database> {
  const { url, dataDir, logger } = options;
  if (url === null) {
    const embedded = await joinEmbeddedPostgres({ dataDir, logger });
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
  // A connection in use tells its loss to nobody but itself; without a listener that would end the process.
  pool.on('connect', (client) => {
    client.on('error', (error) => logger.warn({ reason: describeConnectFailure(error) }, 'a connection was lost'));
  });
  pool.on('error', () => undefined); // has been told by the connection, and would log it whole
  return pool;
}

/** Runs what has not run yet, with no limit of time: a migration may take long, and so may waiting for another process's. */
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

/** PgBouncer refuses what a connection sets or, told to ignore it, drops it: our tables would be made in a schema of others. */
async function demandSettings(db: Kysely<unknown>, schema: string): Promise<void> {
  const { rows } = await sql<{ path: string }>`select current_setting('search_path') as path`.execute(db);
  if (rows[0]?.path !== schema) {
    throw new Error(BEHIND_POOLER);
  }
}
