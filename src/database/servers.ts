import { Client, type ClientConfig } from 'pg';
import type { Logger } from 'pino';
import { createRealClock } from '../runtime/clock.ts';
import { createLoop } from '../runtime/loop.ts';
import { cut } from './cut.ts';
import type { DatabaseAddress, Host } from './database-url.ts';
import { DatabaseTimeoutError, describeConnectFailure, errorCode, ReadOnlyServerError } from './errors.ts';
import { withLimit } from './limit.ts';
import type { Encryption } from './tls.ts';

const WATCH_MS = 1_000;
/** Timeout of the health check on the server in use. A failover takes longer than that anyway. */
const WATCH_TIMEOUT_MS = 2_000;
/** Timeout per host when there are several. */
const TRIAL_MS = 3_000;

/** A server that can be used, and the way to connect to it. */
interface Server extends Host {
  readonly encryption: Encryption;
}

/** The servers of a database. One of them is used at a time. */
export interface Servers extends AsyncDisposable {
  /** Increases when sessions that were opened before may no longer be usable. */
  epoch(): number;
  /** Opens a session. With several hosts, on the first one that accepts writes. */
  connect(config: ClientConfig, timeoutMs: number): Promise<Client>;
  /** Called after a session could not write. Stops the use of open sessions, and starts a new search for the server. */
  distrust(): void;
}

/** @param newClient makes a client that is not connected yet */
export function createServers(
  address: DatabaseAddress,
  logger: Logger,
  newClient = (config: ClientConfig): Client => new Client(config),
): Servers {
  const candidates = address.hosts.map((host) => ({ host, encryption: encryptionOf(host, address) }));
  const [only] = candidates.flatMap(({ host, encryption }) =>
    candidates.length === 1 && encryption.length === 1 && !address.demandsWrites
      ? encryption.map((each): Server => ({ ...host, encryption: each }))
      : [],
  );
  const sessions = new Map<Client, Server>();
  let known: Server | null = only ?? null;
  let searching: Promise<Server> | null = null;
  let epoch = 0;

  async function open(server: Server, config: ClientConfig, timeoutMs: number): Promise<Client> {
    const { host, port, encryption: ssl } = server;
    const limitMs = Math.min(timeoutMs, address.connectTimeoutMs ?? timeoutMs);
    const client = newClient({ ...address.connection, ...config, host, port, ssl, keepAlive: true });
    client.on('error', (error) => logger.warn({ reason: describeConnectFailure(error) }, 'a connection was lost'));
    sessions.set(client, server);
    client.once('end', () => sessions.delete(client));
    try {
      await withLimit(limitMs, client.connect(), () => void cut(client));
      return client;
    } catch (error) {
      sessions.delete(client);
      throw error;
    }
  }

  async function isWritable(client: Client): Promise<boolean> {
    const { rows } = await client.query<{ writable: boolean }>(
      `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable`,
    );
    return rows[0]?.writable === true;
  }

  /** @throws the fault of the last way to connect to it */
  async function tryHost(host: Host, encryption: readonly Encryption[], timeoutMs: number): Promise<Server> {
    let fault: unknown = new DatabaseTimeoutError('it does not answer');
    for (const each of encryption) {
      const server = { ...host, encryption: each };
      try {
        const client = await open(server, {}, timeoutMs);
        const fits = withLimit(timeoutMs, isServing(client), () => void cut(client));
        if (await fits.finally(() => void cut(client))) {
          return server;
        }
        throw new ReadOnlyServerError('it is read-only');
      } catch (error) {
        fault = error;
        if (isFinal(error)) {
          break;
        }
      }
    }
    throw fault;
  }

  const isServing = async (client: Client) => !address.demandsWrites || (await isWritable(client));

  async function search(timeoutMs: number): Promise<Server> {
    const limitMs = candidates.length > 1 ? Math.min(TRIAL_MS, timeoutMs) : timeoutMs;
    const trials = candidates.map(
      ({ host, encryption }) =>
        () =>
          tryHost(host, encryption, limitMs),
    );
    return address.demandsWrites ? findAny(trials) : findFirst(trials);
  }

  /** Finds a server. Concurrent callers share one search. */
  async function find(timeoutMs: number): Promise<Server> {
    searching ??= search(timeoutMs).finally(() => {
      searching = null;
    });
    return searching;
  }

  function distrust(): void {
    epoch += 1;
    known = only ?? null;
  }

  /** Changes to another server. Sessions on any other server are cut, so statements that run there fail. */
  function moveTo(server: Server): void {
    logger.warn({ host: server.host, port: server.port }, 'another server of the database accepts writes now');
    epoch += 1;
    known = server;
    for (const [client, usedServer] of sessions) {
      if (!isSame(usedServer, server)) {
        void cut(client);
      }
    }
  }

  let watching: Client | null = null;
  async function watch(): Promise<number> {
    if (known === null) {
      return WATCH_MS;
    }
    const server = known;
    try {
      watching ??= await open(server, {}, WATCH_TIMEOUT_MS);
      const client = watching;
      if (
        isSame(sessions.get(client) ?? null, server) &&
        (await withLimit(WATCH_TIMEOUT_MS, isWritable(client), () => void cut(client)))
      ) {
        return WATCH_MS;
      }
    } catch (error) {
      logger.debug({ reason: describeConnectFailure(error) }, 'the server of the database does not answer the watch');
    }
    if (watching !== null) {
      await cut(watching);
      watching = null;
    }
    const found = await find(TRIAL_MS).catch(() => null);
    if (found !== null && !isSame(found, server)) {
      moveTo(found);
    }
    return found === null ? WATCH_MS / 4 : WATCH_MS;
  }

  const loop = createLoop({
    name: 'database watch',
    step: watch,
    retry: { firstMs: WATCH_MS, longestMs: WATCH_MS },
    logger,
    clock: createRealClock(),
  });
  if (address.demandsWrites && candidates.length > 1) {
    loop.start();
  }

  return {
    epoch: () => epoch,
    async connect(config, timeoutMs) {
      const server = known ?? (await find(timeoutMs));
      known ??= server;
      try {
        return await open(server, config, timeoutMs);
      } catch (error) {
        if (isSame(known, server)) {
          known = only ?? null; // the next call searches again
        }
        throw error;
      }
    },
    distrust,
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      if (watching !== null) {
        await cut(watching);
      }
    },
  };
}

function encryptionOf({ host }: Host, { encryption }: DatabaseAddress): readonly Encryption[] {
  return host.startsWith('/') ? [false] : encryption; // libpq uses no TLS on a unix socket
}

function isSame(one: Server | null, other: Server): boolean {
  return one !== null && one.host === other.host && one.port === other.port;
}

/** Whether the host would fail in the same way with another encryption. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof ReadOnlyServerError ||
    error instanceof DatabaseTimeoutError ||
    /^(ECONNREFUSED|ENOENT|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)(?:UNREACH|DOWN)|EACCES|28P01|3D000|53300|57P\d\d)$/.test(
      errorCode(error) ?? '',
    )
  );
}

/** Tries all hosts at once and returns the first that is suitable. */
async function findAny(trials: readonly (() => Promise<Server>)[]): Promise<Server> {
  try {
    return await Promise.any(trials.map((trial) => trial()));
  } catch (error) {
    const faults: unknown[] = error instanceof AggregateError ? error.errors : [error];
    throw faults.find((fault) => fault instanceof ReadOnlyServerError) ?? faults[0];
  }
}

/** Tries the hosts one after another and returns the first that is suitable. */
async function findFirst(trials: readonly (() => Promise<Server>)[]): Promise<Server> {
  let fault: unknown = null;
  for (const trial of trials) {
    try {
      return await trial();
    } catch (error) {
      fault ??= error;
    }
  }
  throw fault;
}
