import { expect, it, vi } from 'vitest';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createTestDatabase } from '../support/database.ts';
import { HANG_MS } from '../support/hang.ts';
import { HAS_NATS, startNats } from '../support/nats-server.ts';
import { failedSpans } from '../support/test-service.ts';
import { startTocsin } from '../support/tocsin-process.ts';

const REQUESTS_OF_BATCH = 5;
const BATCHES = 150;
const BATCH_MS = 200;
/** Indexes of batches. */
const KILL = { correlator: 40, broker: 70, brokerBackAt: 90 };

it.skipIf(!HAS_NATS)(
  'counts each failed request once while the correlator and the broker are killed',
  {
    timeout: 4 * HANG_MS,
  },
  async () => {
    await using database = await createTestDatabase();
    await using nats = await startNats();
    const [broker] = nats.nodes;
    const key = createRawKey('read-write').rawKey;
    const settings = { DATABASE_URL: database.url, NATS_URL: nats.url, BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'fatal' };
    await using correlator = await startTocsin(settings, ['service']);
    const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
    const leader = async () => {
      const row = await db.selectFrom('correlation').select('leader').executeTakeFirst();
      return row?.leader ?? null;
    };
    const first = await vi.waitUntil(leader, { timeout: HANG_MS });
    await using other = await startTocsin(settings, ['service']);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const read = async (path: string): Promise<unknown> => (await fetch(`${other.url}/v1${path}`, { headers })).json();

    /** Repeats what was refused, as exporters do. */
    const send = async () => {
      const body = JSON.stringify(failedSpans(['shop'], 'GET /buy', REQUESTS_OF_BATCH, Date.now()));
      await vi.waitUntil(
        async () => {
          const { ok, status } = await fetch(`${other.url}/v1/traces`, { method: 'POST', headers, body });
          expect(ok || status === 503).toBe(true);
          return ok;
        },
        { timeout: HANG_MS, interval: BATCH_MS },
      );
    };
    const sent: Promise<void>[] = [];
    const beganAt = performance.now();
    for (let batch = 0; batch < BATCHES; batch += 1) {
      await vi.waitUntil(() => performance.now() - beganAt >= batch * BATCH_MS, { timeout: HANG_MS, interval: 10 });
      sent.push(send());
      await (batch === KILL.correlator && correlator.stop('SIGKILL'));
      await (batch === KILL.broker && broker.kill());
      await (batch === KILL.brokerBackAt && broker.start());
    }
    await Promise.all(sent);

    const counted = async () => {
      const { signals } = SignalList.parse(await read('/signals?type=trace&limit=200'));
      return signals.reduce((sum, { occurrences = 0 }) => sum + occurrences, 0);
    };
    await expect.poll(counted, { timeout: HANG_MS }).toBe(BATCHES * REQUESTS_OF_BATCH);
    expect(await leader()).not.toBe(first);
    const { incidents } = IncidentList.parse(await read('/incidents'));
    expect(incidents.map(({ root_service: root }) => root)).toEqual(['shop']);
  },
);
