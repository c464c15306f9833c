import { setTimeout as delay } from 'node:timers/promises';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { LogUnavailableError } from '../core/errors.ts';

const NATS_URL = /^(?:nats|tls):\/\/(?:[^@/?#,\s]*@)?[^@/?#,\s]+(?:,[^@/?#,\s]+)*\/?$/;

/** Whether it is `nats://user:password@one:4222,two:4222,three:4222`, or the same with `tls:`. A user alone is a token. */
export function isNatsUrl(text: string): boolean {
  return NATS_URL.test(text) && URL.canParse(firstOf(text));
}

export const STREAM = 'TOCSIN_LOG';
export const SUBJECTS = 'tocsin.log';

/** How long one request may take: less than a sender waits, and enough to try another server. */
const REQUEST_MS = 2_000;
/** How long work is tried again, also while a cluster chooses a new leader. */
const PATIENCE_MS = 5_000;
const RETRY_MS = 200;
/** Longer than an attempt to publish is repeated. */
const DUPLICATES_SECONDS = 120;
/** A message is smaller than the server's limit by its headers. */
const HEADERS_BYTES = 1_024;

export interface Connected {
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** Whether any server that has a message may answer, not only the leader. */
  readonly isDirect: boolean;
  readonly maxBytes: number;
}

export interface NatsServers extends AsyncDisposable {
  /**
   * Works with a connection that is opened when it is needed. Whatever fails is tried again on a new one, at another server if
   * there are several.
   *
   * @throws {LogUnavailableError}
   */
  attempt<Result>(work: (connected: Connected) => Promise<Result>, patienceMs?: number): Promise<Result>;
}

type Opened = Connected & { readonly connection: NatsConnection };

/**
 * @param url see `isNatsUrl`
 * @param logger is told when the servers cannot be used any more, and when they can again
 */
export function createNatsServers(url: string, logger?: Pick<Logger, 'warn' | 'info'>): NatsServers {
  let opened: Promise<Opened> | null = null;
  let isAway = false;

  function notice(reason: string | null): void {
    if (isAway === (reason !== null)) {
      return;
    }
    isAway = reason !== null;
    if (reason === null) {
      logger?.info('NATS can be used again');
    } else {
      logger?.warn({ reason }, 'NATS cannot be used: telemetry is refused and not correlated until it can');
    }
  }

  async function give<Result>(work: (connected: Connected) => Promise<Result>): Promise<Result> {
    opened ??= open(url);
    const own = opened;
    try {
      return await work(await own);
    } catch (error) {
      opened = opened === own ? null : opened;
      await own.then(close, () => undefined);
      throw error;
    }
  }

  return {
    async attempt(work, patienceMs = PATIENCE_MS) {
      const giveUpAt = performance.now() + patienceMs;
      for (;;) {
        try {
          const result = await give(work);
          notice(null);
          return result;
        } catch (cause) {
          if (performance.now() >= giveUpAt) {
            const reason = await reasonOf(cause);
            notice(reason);
            throw new LogUnavailableError(`NATS cannot be used now: ${reason}`, { cause });
          }
          await delay(RETRY_MS);
        }
      }
    },

    async [Symbol.asyncDispose]() {
      await opened?.then(close, () => undefined);
    },
  };
}

async function close({ connection }: Opened): Promise<void> {
  await connection.close().catch(() => undefined);
}

/** Loads the client only where it is used. */
async function open(url: string): Promise<Opened> {
  const [{ connect }, { jetstream, jetstreamManager }] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
  ]);
  const { protocol, username, password } = new URL(firstOf(url));
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  const connection = await connect({
    servers: url
      .replace(/^\w+:\/\/(?:[^@]*@)?/, '')
      .replace(/\/$/, '')
      .split(','),
    name: 'tocsin',
    timeout: REQUEST_MS,
    reconnect: false, // `attempt` opens a new one, so nothing is queued for a server that is away
    ...(protocol === 'tls:' && { tls: {} }),
    ...(user !== '' && (pass === '' ? { token: user } : { user, pass })),
  });
  try {
    const options = { timeout: REQUEST_MS };
    const jsm = await jetstreamManager(connection, { ...options, checkAPI: false });
    const maxPayload = connection.info?.max_payload ?? 1_048_576;
    const { config } = await ensureStream(jsm, connection);
    return {
      connection,
      js: jetstream(connection, options),
      jsm,
      isDirect: config.allow_direct,
      maxBytes: Math.min(maxPayload, config.max_msg_size > 0 ? config.max_msg_size : maxPayload) - HEADERS_BYTES,
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Leaves a stream as it is that somebody has made, with other limits or another number of replicas. */
async function ensureStream(jsm: JetStreamManager, { info }: NatsConnection) {
  const { DiscardPolicy, JetStreamApiCodes, JetStreamApiError, StorageType } = await import('@nats-io/jetstream');
  try {
    return await jsm.streams.info(STREAM);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)) {
      throw error;
    }
  }
  return jsm.streams.add({
    name: STREAM,
    subjects: [`${SUBJECTS}.>`],
    storage: StorageType.File,
    num_replicas: info?.cluster === undefined ? 1 : 3,
    discard: DiscardPolicy.New, // a full disk refuses what is new, and keeps what was promised
    allow_direct: true,
    duplicate_window: DUPLICATES_SECONDS * 1_000_000_000,
  });
}

function firstOf(url: string): string {
  return url.replace(/,.*$/, '');
}

/** Contains no address. */
async function reasonOf(error: unknown): Promise<string> {
  const { AuthorizationError, RequestError, TimeoutError } = await import('@nats-io/transport-node');
  const { JetStreamApiError } = await import('@nats-io/jetstream');
  if (error instanceof JetStreamApiError) {
    return error.message;
  }
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof RequestError && cause.isNoResponders()) {
    return 'JetStream is not enabled there, or has no leader';
  }
  if (error instanceof AuthorizationError) {
    return 'it refused the user or the token of NATS_URL';
  }
  return error instanceof TimeoutError ? 'it does not answer' : 'it cannot be reached';
}
