import { expect, it } from 'vitest';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { startBalancer } from '../support/balancer.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';

/** Ten polls in a drain. With the default of 5 s a balancer that polls each second has five, but this machine may be slow. */
const DRAIN_SECONDS = 2;
const POLL_MS = 200;
const CLIENTS = 4;
const RESTARTS = 3;

it('shows no error behind a balancer through three rolling restarts under load', async () => {
  await using database = await createTestDatabase();
  const key = createRawKey('read-write').rawKey;
  const env = {
    DATABASE_URL: database.url,
    BOOTSTRAP_API_KEY: key,
    DRAIN_SECONDS: String(DRAIN_SECONDS),
    RATE_LIMIT_PER_MINUTE: '0',
  };
  await using cleanup = new AsyncDisposableStack();
  const balancer = cleanup.use(await startBalancer(POLL_MS));
  const start = async (): Promise<TocsinProcess> => {
    const tocsin = cleanup.use(await startTocsin(env, ['service']));
    balancer.add(tocsin.url);
    await expect.poll(balancer.ready).toContain(tocsin.url);
    return tocsin;
  };
  const running = [await start(), await start()];
  const load = startLoad(`${balancer.url}/v1`, key);

  const exitCodes: (number | null)[] = [];
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    const before = load.answers();
    exitCodes.push((await running.shift()?.stop()) ?? null);
    running.push(await start());
    await expect.poll(load.answers).toBeGreaterThan(before);
  }
  const statuses = await load.stop();

  expect(balancer.errors).toEqual([]);
  expect([...statuses.keys()]).toEqual([200]);
  expect(exitCodes).toEqual([0, 0, 0]);
});

/** Clients that read and send signals, each one request after the other. */
function startLoad(baseUrl: string, key: string) {
  const statuses = new Map<number | string, number>();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ type: 'log', service: 'depot', summary: 'a parcel is lost' });
  let isOver = false;

  async function runClient(): Promise<void> {
    while (!isOver) {
      for (const request of [
        { path: '/incidents?limit=1', init: { headers } },
        { path: '/generic', init: { method: 'POST', headers, body } },
      ]) {
        const outcome = await fetch(`${baseUrl}${request.path}`, request.init).then(
          async (response) => {
            await response.arrayBuffer();
            return response.status;
          },
          (error: Error) => `${error.message}: ${String(error.cause)}`,
        );
        statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
      }
    }
  }

  const clients = Array.from({ length: CLIENTS }, runClient);
  return {
    answers: () => [...statuses.values()].reduce((sum, count) => sum + count, 0),
    async stop() {
      isOver = true;
      await Promise.all(clients);
      return statuses;
    },
  };
}
