import { Kysely, PostgresDialect } from 'kysely';
import type { Client, ClientConfig } from 'pg';
import type { Logger } from 'pino';
import { createDatabaseCheck } from './database-check.ts';
import { type DatabaseAddress, parseDatabaseUrl } from './database-url.ts';
import { joinEmbeddedPostgres } from './embedded-postgres.ts';
import { DatabaseStartError, DatabaseUnreachableError } from './errors.ts';
import { startListening } from './listen.ts';
import { type Migrations, migrate } from './migrate.ts';
import { startPolling } from './poll.ts';
import { createPoolerDetection, type PoolerDetection } from './pooler.ts';
import { GRACE_MS, PURPOSES, type Purpose, settingsOf, WAIT_MS } from './purposes.ts';
import { createReplicaPool } from './replica-pool.ts';
import { createServers, type Servers } from './servers.ts';
import { createSession, type SessionSettings } from './session.ts';
import { createSessionPool, type PoolUsage, type SessionPool } from './session-pool.ts';

const MIGRATION_CONNECT_MS = 10_000;

/** Access to PostgreSQL: the embedded server, or the one in `DATABASE_URL`. */
export interface Database extends AsyncDisposable {
  /** What another thread of this process needs to connect. */
  readonly source: DatabaseSource;
  /**
   * Opens a schema for the purpose `work`, and creates or migrates it, see `migrate`. The pool is closed with the database.
   */
  open<Tables>(schema: string, migrations: Migrations): Promise<Kysely<Tables>>;
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
  /** A replica of it, for the purpose `reading`; null or absent: there is none. */
  readonly readUrl?: string | null | undefined;
  readonly dataDir: string;
  readonly logger: Logger;
  /** Told what is done next, where it may take long; absent: nobody listens. */
  readonly onStep?: ((step: string) => void) | undefined;
  /** See `joinEmbeddedPostgres`. */
  readonly orphanGraceSeconds?: number | undefined;
  /** Upper bound for statements of every purpose; absent: each has its own. */
  readonly statementMs?: number | undefined;
  /** Upper bound for the connections of every purpose; absent: each has its own. */
  readonly connections?: number | undefined;
  /** Makes a client that is not connected yet. Absent: a new one of `pg`. Tests keep connections for the next test. */
  readonly newClient?: ((config: ClientConfig) => Client) | undefined;
}

/** @throws DatabaseStartError */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const {
    url,
    directUrl = null,
    readUrl = null,
    dataDir,
    logger,
    onStep,
    orphanGraceSeconds,
    statementMs,
    connections,
    newClient,
  } = options;
  const build = (source: DatabaseSource, leave: () => Promise<void>) =>
    createDatabase({
      source,
      logger,
      statementMs: statementMs ?? Number.POSITIVE_INFINITY,
      connections: connections ?? Number.POSITIVE_INFINITY,
      newClient,
      readUrl,
      onStep: onStep ?? (() => undefined),
      leave,
    });
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
  const unbounded = Number.POSITIVE_INFINITY;
  const onStep = () => undefined;
  return createDatabase({
    source,
    readUrl: null,
    logger,
    statementMs: unbounded,
    connections: unbounded,
    onStep,
    leave,
  });
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
  readonly readUrl: string | null;
  readonly logger: Logger;
  readonly statementMs: number;
  readonly connections: number;
  readonly newClient?: DatabaseOptions['newClient'];
  readonly onStep: (step: string) => void;
  readonly leave: () => Promise<void>;
}

/** Where sessions are opened. */
interface Place {
  readonly address: DatabaseAddress;
  readonly servers: Servers;
  readonly pooler: PoolerDetection;
  readonly onFault: (error: unknown) => void;
}

/** @throws DatabaseStartError */
function placeOfReplica(url: string, logger: Logger, newClient: DatabaseOptions['newClient']): Place {
  const address = { ...parseDatabaseUrl(url), demandsWrites: false };
  const servers = createServers(address, logger, newClient);
  const pooler = createPoolerDetection(servers, address.connection);
  return { address, servers, pooler, onFault: () => undefined };
}

function createPool(
  { address, servers, pooler, onFault }: Place,
  limits: {
    readonly max: number;
    readonly waitMs: number;
    readonly limitMs: number | null;
    readonly settings: SessionSettings;
  },
): SessionPool {
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
      return createSession(client, { epoch, limitMs, perTransaction, prepares, onFault });
    },
  });
}

/** @throws DatabaseStartError */
function createDatabase({
  source,
  readUrl,
  logger,
  statementMs,
  connections,
  newClient,
  onStep,
  leave,
}: Parts): Database {
  const address = source.kind === 'url' ? parseDatabaseUrl(source.url) : addressOf(source.connection);
  const direct = source.kind === 'url' && source.directUrl !== null ? parseDatabaseUrl(source.directUrl) : null;
  const servers = createServers(address, logger, newClient);
  const directServers = direct === null ? null : createServers(direct, logger, newClient);
  const check = createDatabaseCheck(servers, address.name);
  const primary: Place = {
    address,
    servers,
    pooler: createPoolerDetection(servers, address.connection),
    onFault: (error) => check.noticeFault(error),
  };
  const replica = readUrl === null ? null : placeOfReplica(readUrl, logger, newClient);
  const opened: { destroy(): Promise<void> }[] = [];
  const pools = new Map<string, SessionPool>();

  function share<Tables>(schema: string, purpose: Purpose): Kysely<Tables> {
    const limits = PURPOSES[purpose];
    const ownMs = Math.min(limits.statementMs, statementMs);
    const settings = settingsOf(schema, limits, ownMs);
    const size = { max: Math.min(limits.max, connections), waitMs: WAIT_MS, limitMs: ownMs + GRACE_MS, settings };
    const own = createPool(primary, size);
    pools.set(purpose === 'work' ? schema : `${schema} ${purpose}`, own);
    let pool = own;
    if (replica !== null && purpose === 'reading') {
      const onReplica = createPool(replica, size);
      pools.set(`${schema} replica`, onReplica);
      pool = createReplicaPool(onReplica, own, logger);
    }
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    opened.push(db);
    return db;
  }

  return {
    source,
    async open<Tables>(schema: string, migrations: Migrations) {
      const settings = { search_path: schema };
      // Without a timeout: migrations may take long, and so may waiting for those of another process.
      const pool = createPool(primary, { max: 1, waitMs: MIGRATION_CONNECT_MS, limitMs: null, settings });
      await using db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
      await migrate(db, schema, migrations, onStep);
      return share<Tables>(schema, 'work');
    },
    share,
    listen: (channel, handler) =>
      directServers === null && primary.pooler.wasFound()
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
      await replica?.servers[Symbol.asyncDispose]();
      await leave();
    },
  };
}
