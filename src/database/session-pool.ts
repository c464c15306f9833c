import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { DatabaseTimeoutError } from './errors.ts';
import type { Session } from './session.ts';

const IDLE_MS = 5 * 60_000; // connecting takes longer than most statements

/** Current connections of a pool. */
export interface PoolUsage {
  /** The schema of the pool, and what it is for. */
  readonly name: string;
  readonly used: number;
  readonly idle: number;
  /** Calls that wait for a connection. */
  readonly pending: number;
}

export interface SessionPool extends PostgresPool {
  usage(): Omit<PoolUsage, 'name'>;
}

interface Waiting {
  readonly resolve: (session: Session) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A pool of sessions for Kysely. A session of an earlier epoch, or one in which a statement hung, is not used again.
 *
 * @param options.waitMs how long a caller waits for a session, including its connection
 */
export function createSessionPool(options: {
  readonly max: number;
  readonly waitMs: number;
  readonly open: () => Promise<Session>;
  readonly epoch: () => number;
}): SessionPool {
  const { max, waitMs, open, epoch } = options;
  const waiting: Waiting[] = [];
  let idle: { readonly session: Session; readonly timer: NodeJS.Timeout }[] = [];
  let used = 0;
  let isEnded = false;
  let whenUnused = Promise.withResolvers<void>();

  const isUsable = (session: Session) => !session.isBroken() && session.epoch === epoch();

  function takeIdle(): Session | null {
    for (let found = idle.pop(); found !== undefined; found = idle.pop()) {
      clearTimeout(found.timer);
      if (isUsable(found.session)) {
        return found.session;
      }
      void found.session.end();
    }
    return null;
  }

  function giveBack(session: Session): void {
    if (!isUsable(session)) {
      void session.end();
      leave();
      return;
    }
    const next = waiting.shift();
    if (next !== undefined) {
      next.resolve(session);
      return;
    }
    const timer = setTimeout(() => {
      idle = idle.filter((each) => each.session !== session);
      void session.end();
    }, IDLE_MS).unref();
    idle.push({ session, timer });
    leave();
  }

  /** Frees a slot of the pool, and gives it to the next waiting caller. */
  function leave(): void {
    used -= 1;
    if (used === 0) {
      whenUnused.resolve();
      whenUnused = Promise.withResolvers<void>();
    }
    const next = waiting.shift();
    if (next !== undefined) {
      used += 1;
      connect().then(next.resolve, next.reject);
    }
  }

  /** Returns an idle session or opens one. The caller has already counted it in `used`. */
  async function connect(): Promise<Session> {
    try {
      return takeIdle() ?? (await open());
    } catch (error) {
      leave();
      throw error;
    }
  }

  async function acquire(): Promise<Session> {
    if (isEnded) {
      throw new Error('the database is closed');
    }
    if (used < max) {
      used += 1;
      return connect();
    }
    const { promise, resolve, reject } = Promise.withResolvers<Session>();
    const timer = setTimeout(() => {
      const at = waiting.findIndex((each) => each.reject === reject);
      if (at >= 0) {
        waiting.splice(at, 1);
        reject(new DatabaseTimeoutError(`no connection to the database was free within ${waitMs / 1_000} s`));
      }
    }, waitMs);
    waiting.push({ resolve, reject });
    return promise.finally(() => clearTimeout(timer));
  }

  return {
    options: {},
    async connect() {
      const session = await acquire();
      return toClient(session, () => giveBack(session));
    },
    async end() {
      isEnded = true;
      if (used > 0) {
        await whenUnused.promise;
      }
      await Promise.all(
        idle.splice(0).map(({ session, timer }) => {
          clearTimeout(timer);
          return session.end();
        }),
      );
    },
    usage: () => ({ used, idle: idle.length, pending: waiting.length }),
  };
}

function toClient(session: Session, release: () => void): PostgresPoolClient {
  return {
    // Kysely reads the command, the count and the rows; we use no cursors.
    query: ((text: string, parameters: readonly unknown[]) =>
      session.query(text, parameters)) as PostgresPoolClient['query'],
    release(isDiscarded) {
      if (isDiscarded === true) {
        void session.end();
      }
      release();
    },
  } satisfies Pick<PostgresPoolClient, 'query' | 'release'> as PostgresPoolClient;
}
