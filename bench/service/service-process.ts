import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTocsin } from '../../test/support/tocsin-process.ts';

/** Tocsin's service as `npm start -- service` runs it. */
export interface ServiceProcess extends AsyncDisposable {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
}

export async function startServiceProcess(databaseUrl: string): Promise<ServiceProcess> {
  const env = { DATABASE_URL: databaseUrl, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' };
  const tocsin = await startTocsin(env, ['service']);
  const key = (await readFile(join(tocsin.dataDir, 'keys', 'shop.key'), 'utf8')).trim();
  return { baseUrl: `${tocsin.url}/v1`, key, [Symbol.asyncDispose]: () => tocsin[Symbol.asyncDispose]() };
}
