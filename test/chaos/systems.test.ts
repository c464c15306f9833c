import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { Integration } from '../../src/contract/integrations.ts';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { alertNotification } from '../support/alert-notification.ts';
import { createTestDatabase } from '../support/database.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTocsin } from '../support/tocsin-process.ts';

const SYSTEMS = ['acme', 'globex', 'initech', 'umbrella'];

it('shares systems between two processes, and takes over those of one that is killed', {
  timeout: 4 * HANG_MS,
}, async () => {
  await using database = await createTestDatabase();
  const key = createRawKey('read-write').rawKey;
  const settings = { DATABASE_URL: database.url, BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'warn' };
  await using one = await startTocsin(settings, ['service']);
  await using other = await startTocsin(settings, ['service']);
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const call = async (url: string, method: string, path: string, body?: object, as = key): Promise<unknown> => {
    const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    expect(answer.status).toBeLessThan(300);
    return answer.json();
  };
  const keys = new Map<string, string>();
  for (const system of SYSTEMS) {
    const body = { type: 'alertmanager', name: system, system };
    const { ingest_key: own = '' } = Integration.parse(await call(one.url, 'POST', '/integrations', body));
    keys.set(system, own);
  }
  const holders = async () => {
    const { rows } = await sql<{ held: number }>`
      select count(*)::integer as held from correlation
      where leased_until > clock_now() group by leader order by held
    `.execute(db);
    return rows.map(({ held }) => held);
  };
  const fire = (url: string, service: string, endsAt: Date | null = null) =>
    Promise.all(
      SYSTEMS.map((system) => {
        const alert = alertNotification(new Date(Date.now() - 1_000), endsAt, { service, alertname: 'Down' });
        const body = { ...alert, alerts: alert.alerts.map((each) => ({ ...each, fingerprint: service })) };
        return call(url, 'POST', '/alertmanager', body, keys.get(system));
      }),
    );
  const openIn = async (service: string) => {
    const { incidents } = IncidentList.parse(await call(other.url, 'GET', `/incidents?service=${service}&limit=200`));
    return incidents.map(({ system }) => system ?? '').toSorted();
  };

  await expect.poll(holders, { timeout: HANG_MS }).toEqual([2, 3]); // four, and the default one
  await Promise.all([fire(one.url, 'cart'), fire(other.url, 'payments')]);
  await expect.poll(() => openIn('cart'), { timeout: HANG_MS }).toEqual(SYSTEMS);
  const sentMeanwhile = fire(other.url, 'search');
  await one.stop('SIGKILL');
  await sentMeanwhile;
  await fire(other.url, 'mail');
  await expect.poll(holders, { timeout: HANG_MS }).toEqual([SYSTEMS.length + 1]);

  for (const service of ['cart', 'payments', 'search', 'mail']) {
    await expect.poll(() => openIn(service), { timeout: HANG_MS }).toEqual(SYSTEMS);
  }
  await fire(other.url, 'mail', new Date());
  await vi.waitUntil(
    async () => {
      const { incidents } = IncidentList.parse(await call(other.url, 'GET', '/incidents?service=mail'));
      return incidents.every(({ activity }) => activity === 'recovered');
    },
    { timeout: HANG_MS },
  );
  const { signals } = SignalList.parse(await call(other.url, 'GET', '/signals?limit=200'));
  expect(signals.map(({ occurrences }) => occurrences)).toEqual(Array.from({ length: 4 * SYSTEMS.length }, () => 1));
  expect(signals.every(({ incident_id: id }) => id !== undefined)).toBe(true);
});
