import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch, type Response } from 'undici';
import { Integration } from '../../src/contract/integrations.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { startTocsin } from '../../test/support/tocsin-process.ts';

interface Request {
  /** null: none. Absent: the read-write key. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, except bytes. */
  readonly body?: object;
}

/** Without keep-alive: an idle connection may be closed while this process or the service is busy. */
const dispatcher = new Agent({ pipelining: 0 });

/** A service of its own in a child process, with an embedded PostgreSQL in a temporary folder. */
export interface Target extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** Settings with which it starts again. */
  readonly env: Readonly<Record<string, string>>;
  readonly ingestKey: string;
  /** @param path with its version */
  call(method: string, path: string, request?: Request): Promise<Response>;
  createIngestKey(): Promise<string>;
  /** The value of a metric; NaN: it has none. */
  metric(name: string): Promise<number>;
  kill(): Promise<void>;
}

/** @param env of a service that was killed: it starts again with its data */
export async function startTarget(env: Readonly<Record<string, string>> = freshEnv()): Promise<Target> {
  const tocsin = await startTocsin(env, ['service']);
  const readWrite = env.BOOTSTRAP_API_KEY ?? '';

  const call: Target['call'] = (method, path, { key = readWrite, headers = {}, body } = {}) =>
    fetch(`${tocsin.url}${path}`, {
      method,
      dispatcher,
      redirect: 'manual',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: body instanceof Uint8Array ? Uint8Array.from(body) : JSON.stringify(body) }),
    });

  async function createIngestKey(): Promise<string> {
    const answer = await call('POST', '/v1/integrations', { body: { type: 'otlp' } });
    return Integration.parse(await answer.json()).ingest_key ?? '';
  }

  return {
    url: tocsin.url,
    pid: tocsin.pid,
    dataDir: tocsin.dataDir,
    env,
    ingestKey: await createIngestKey(),
    call,
    createIngestKey,
    async metric(name) {
      const text = await (await call('GET', '/metrics', { key: null })).text();
      const line = text.split('\n').find((each) => each.startsWith(`${name} `));
      return Number(line?.slice(name.length) ?? Number.NaN);
    },
    async kill() {
      await tocsin.stop('SIGKILL');
    },
    [Symbol.asyncDispose]: () => tocsin[Symbol.asyncDispose](),
  };
}

function freshEnv(): Readonly<Record<string, string>> {
  const { rawKey } = createRawKey('read-write');
  return { BOOTSTRAP_API_KEY: rawKey, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent' };
}

/** Waits until `isDone`, `atMostMs` at most. @returns whether it was done in time */
export async function waitUntil(atMostMs: number, isDone: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + atMostMs;
  while (!(await isDone())) {
    if (performance.now() > deadline) {
      return false;
    }
    await sleep(100);
  }
  return true;
}
