import { setTimeout as sleep } from 'node:timers/promises';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { startTocsin } from '../../test/support/tocsin-process.ts';

/** Environment variables of the service. */
export type TargetSettings = Readonly<Record<string, string>>;

interface Request {
  /** null: none. Absent: the read-write key. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: object | string | Uint8Array<ArrayBuffer>;
}

/** A service of its own in a child process, with an embedded PostgreSQL in a temporary folder. */
export interface Target extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  readonly keys: Readonly<Record<'readWrite' | 'readOnly' | 'ingest' | 'revoked' | 'unknown', string>>;
  /** @param path with its version */
  call(method: string, path: string, request?: Request): Promise<Response>;
  /** Visits the dashboard, signed in with the key. With a form it is a POST from the dashboard itself, unless `headers` say otherwise. */
  visit(
    path: string,
    request?: { readonly key?: string; readonly form?: object; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>;
  createKey(scope: string): Promise<string>;
  kill(): Promise<void>;
}

export async function startTarget(settings: TargetSettings): Promise<Target> {
  const { rawKey: readWrite } = createRawKey('read-write');
  const env = { BOOTSTRAP_API_KEY: readWrite, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent', ...settings };
  const tocsin = await startTocsin(env, ['service']);

  const call: Target['call'] = (method, path, { key = readWrite, headers = {}, body } = {}) => {
    const isJson = typeof body === 'object' && !(body instanceof Uint8Array);
    return fetch(`${tocsin.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: isJson ? JSON.stringify(body) : (body as string | Uint8Array<ArrayBuffer>) }),
    });
  };

  const sessions = new Map<string, Promise<Session>>();
  const visit: Target['visit'] = async (path, { key = readWrite, form, headers = OWN } = {}) => {
    const session = sessions.get(key) ?? signIn(tocsin.url, key);
    sessions.set(key, session);
    const { cookie, csrfToken } = await session;
    return fetch(`${tocsin.url}/dashboard${path}`, {
      redirect: 'manual',
      headers: { cookie, ...headers },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams({ _csrf: csrfToken, ...form }) }),
    });
  };

  async function createKey(scope: string): Promise<string> {
    const page = await (await visit('/settings/api-keys', { form: { name: `attack ${scope}`, scope } })).text();
    const [key] = /tcn_\w{2}_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}/.exec(page) ?? [];
    if (key === undefined) {
      throw new Error(`the dashboard has shown no ${scope} key`);
    }
    return key;
  }

  async function createRevokedKey(): Promise<string> {
    const key = await createKey('read-write');
    const page = await (await visit('/settings/api-keys')).text();
    const [, path = ''] = /href="\/dashboard(\/settings\/api-keys\/key_\w+\/revoke)"/.exec(page) ?? []; // the newest
    await visit(path, { form: {} });
    return key;
  }

  return {
    url: tocsin.url,
    dataDir: tocsin.dataDir,
    pid: tocsin.pid,
    keys: {
      readWrite,
      revoked: await createRevokedKey(),
      readOnly: await createKey('read-only'),
      ingest: await createKey('ingest'),
      unknown: createRawKey('read-write').rawKey,
    },
    call,
    visit,
    createKey,
    async kill() {
      await tocsin.stop('SIGKILL');
    },
    [Symbol.asyncDispose]: () => tocsin[Symbol.asyncDispose](),
  };
}

interface Session {
  readonly cookie: string;
  readonly csrfToken: string;
}

/** What a browser adds to a form of the dashboard's own pages. */
const OWN = { 'sec-fetch-site': 'same-origin' };

/** Both are empty when the key is refused. */
async function signIn(url: string, key: string): Promise<Session> {
  const answer = await fetch(`${url}/dashboard/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: OWN,
    body: new URLSearchParams({ key }),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await (await fetch(`${url}/dashboard/incidents`, { headers: { cookie } })).text();
  return { cookie, csrfToken: /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? '' };
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
