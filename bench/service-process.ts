import { createRawKey } from '../src/service/store/keys/key-secret.ts';
import { startTocsin } from '../test/support/tocsin-process.ts';

/** Tocsin's service, run like `npm start -- service`. */
export interface ServiceProcess extends AsyncDisposable {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  readonly pid: number;
}

/**
 * @param databaseUrl address of an empty database, or of one that another process uses
 * @param key of that other process
 */
export async function startServiceProcess(
  databaseUrl: string,
  key: string = createRawKey('read-write').rawKey,
): Promise<ServiceProcess> {
  const tocsin = await startTocsin(
    { DATABASE_URL: databaseUrl, BOOTSTRAP_API_KEY: key, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' },
    ['service'],
  );
  return {
    baseUrl: `${tocsin.url}/v1`,
    key,
    pid: tocsin.pid,
    [Symbol.asyncDispose]: () => tocsin[Symbol.asyncDispose](),
  };
}
