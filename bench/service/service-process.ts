import { createRawKey } from '../../src/service/store/key-secret.ts';
import { startTocsin } from '../../test/support/tocsin-process.ts';

/** Tocsin's service as `npm start -- service` runs it. */
export interface ServiceProcess extends AsyncDisposable {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
}

/** The same for all, so that a second process over one database has it too. */
const { rawKey: key } = createRawKey('read-write');

export async function startServiceProcess(databaseUrl: string): Promise<ServiceProcess> {
  const env = { DATABASE_URL: databaseUrl, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn', BOOTSTRAP_API_KEY: key };
  const tocsin = await startTocsin(env, ['service']);
  return { baseUrl: `${tocsin.url}/v1`, key, [Symbol.asyncDispose]: () => tocsin[Symbol.asyncDispose]() };
}
