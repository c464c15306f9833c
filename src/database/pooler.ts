import type { ClientConfig } from 'pg';
import { cut } from './cut.ts';
import { errorCode } from './errors.ts';
import type { Servers } from './servers.ts';
import { type SessionSettings, toStartupOptions } from './session.ts';

const CONNECT_MS = 10_000;
const PROTOCOL_VIOLATION = '08P01';
const PROBE: SessionSettings = { search_path: 'tocsin_pooler_probe' };

/**
 * Finds out whether a pooler (such as PgBouncer in transaction mode) is in between: it refuses or drops the settings of
 * connections, because each transaction may get another connection.
 */
export interface PoolerDetection {
  /** Asks the database once. */
  isThere(): Promise<boolean>;
  /** Whether a pooler has been found so far. */
  wasFound(): boolean;
  /** Options to connect with these settings when there is no pooler. */
  withOptions(settings: SessionSettings): ClientConfig;
}

export function createPoolerDetection(servers: Servers, connection: ClientConfig): PoolerDetection {
  let answer: Promise<boolean> | null = null;
  let wasFound = false;

  function withOptions(settings: SessionSettings): ClientConfig {
    const own = toStartupOptions(settings);
    return { options: connection.options ? `${connection.options} ${own}` : own };
  }

  async function ask(): Promise<boolean> {
    try {
      const client = await servers.connect(withOptions(PROBE), CONNECT_MS);
      const { rows } = await client
        .query<{ path: string }>(`select current_setting('search_path') as path`)
        .finally(() => void cut(client));
      return rows[0]?.path !== PROBE.search_path;
    } catch (error) {
      if (errorCode(error) === PROTOCOL_VIOLATION) {
        return true;
      }
      throw error;
    }
  }

  return {
    isThere() {
      answer ??= ask().then(
        (found) => {
          wasFound = found;
          return found;
        },
        (error: unknown) => {
          answer = null; // asked again
          throw error;
        },
      );
      return answer;
    },
    wasFound: () => wasFound,
    withOptions,
  };
}
