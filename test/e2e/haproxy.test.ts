import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { createTestDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';

const HAPROXY = '/usr/sbin/haproxy';
const SERVERS = 2;
const CLIENTS = 4;
const RESTARTS = 4;

/** Debian's HAProxy, as docs/operations.md configures it, with shorter checks. */
async function startHaproxy(ports: readonly number[]): Promise<AsyncDisposable & { readonly url: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'haproxy-'));
  const port = await freePort();
  const config = join(folder, 'haproxy.cfg');
  await writeFile(
    config,
    `defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  option redispatch
  retries 3
  retry-on conn-failure empty-response 503
frontend tocsin
  bind 127.0.0.1:${port}
  default_backend tocsin
backend tocsin
  option httpchk GET /readyz
  default-server check inter 200ms fall 1 rise 1
${ports.map((each, index) => `  server tocsin${index} 127.0.0.1:${each}`).join('\n')}
`,
  );
  const child = spawn(HAPROXY, ['-db', '-f', config], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

it('loses nothing and answers nothing but 200 and 503 behind HAProxy through rolling restarts under load', async (context) => {
  if (
    !(await access(HAPROXY).then(
      () => true,
      () => false,
    ))
  ) {
    context.skip('HAProxy is not installed');
    return;
  }
  await using database = await createTestDatabase();
  const key = createRawKey('read-write').rawKey;
  const ports = await Promise.all(Array.from({ length: SERVERS }, freePort));
  await using cleanup = new AsyncDisposableStack();
  const start = async (port: number): Promise<TocsinProcess> => {
    const settings = { DATABASE_URL: database.url, BOOTSTRAP_API_KEY: key, RATE_LIMIT_PER_MINUTE: '0' };
    const tocsin = cleanup.use(await startTocsin({ ...settings, PORT: String(port), DRAIN_SECONDS: '2' }, ['service']));
    await expect.poll(async () => (await tocsin.readiness()).ready, { timeout: HANG_MS }).toBe(true);
    return tocsin;
  };
  const running = await Promise.all(ports.map(start));
  const haproxy = cleanup.use(await startHaproxy(ports));
  await expect.poll(() => fetch(`${haproxy.url}/readyz`).then(({ ok }) => ok), { timeout: HANG_MS }).toBe(true);
  const load = startLoad(`${haproxy.url}/v1`, key);

  const exitCodes: (number | null)[] = [];
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    const index = restart % SERVERS;
    const before = load.answers();
    exitCodes.push((await running[index]?.stop()) ?? null);
    running[index] = await start(ports[index] ?? 0);
    await expect.poll(load.answers, { timeout: HANG_MS }).toBeGreaterThan(before + 20);
  }
  const { statuses, accepted } = await load.stop();

  expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(exitCodes).toEqual(exitCodes.map(() => 0));
  expect(await listStored(database.url)).toEqual(expect.arrayContaining([...accepted]));
});

/** Clients with kept connections that read and send signals, each one request after the other. */
function startLoad(baseUrl: string, key: string) {
  const statuses = new Map<number | string, number>();
  const accepted = new Set<string>();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  let isOver = false;
  let sent = 0;

  async function ask(path: string, init: RequestInit): Promise<boolean> {
    const outcome = await fetch(`${baseUrl}${path}`, { headers, ...init }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      (error: Error) => `${error.message}: ${String(error.cause)}`,
    );
    statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
    return outcome === 200;
  }

  async function runClient(): Promise<void> {
    while (!isOver) {
      sent += 1;
      const dedupKey = `parcel-${sent}`;
      const body = JSON.stringify({
        type: 'log',
        service: 'depot',
        summary: 'a parcel is lost',
        dedup_key: dedupKey,
        attributes: { parcel: dedupKey },
      });
      if (await ask('/generic', { method: 'POST', body })) {
        accepted.add(dedupKey);
      }
      await ask('/incidents?limit=1', {});
    }
  }

  const clients = Array.from({ length: CLIENTS }, runClient);
  return {
    answers: () => [...statuses.values()].reduce((sum, count) => sum + count, 0),
    async stop() {
      isOver = true;
      await Promise.all(clients);
      return { statuses, accepted };
    },
  };
}

async function listStored(databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ parcel: string }>(
    `select distinct attributes->>'parcel' as parcel from ${SERVICE_SCHEMA}.signals`,
  );
  await client.end();
  return rows.map(({ parcel }) => parcel);
}
