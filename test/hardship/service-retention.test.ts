import { hoursToMilliseconds } from 'date-fns/hoursToMilliseconds';
import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { addDays } from '../../src/runtime/dates.ts';
import { createIncidentRetention } from '../../src/service/store/incidents/incident-retention.ts';
import { createAuditRetention } from '../../src/service/store/people/audit-retention.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createPartitions } from '../../src/service/store/signals/partitions.ts';
import { createSignalRetention } from '../../src/service/store/signals/signal-retention.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const daysToMs = (days: number) => hoursToMilliseconds(24 * days);

let tocsin: TestService;
let db: Kysely<ServiceTables>;

beforeEach(async () => {
  tocsin = await startTestService();
  db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
});
afterEach(() => tocsin[Symbol.asyncDispose]());

/** What the retention does after that time. */
async function removeAfter(days: number, keptDays: { audit?: number; incidents?: number } = {}): Promise<void> {
  const now = new Date(Date.now() + daysToMs(days));
  await createSignalRetention(db, 30).prune(now);
  await createIncidentRetention(db, keptDays.incidents ?? null).prune(now);
  await createAuditRetention(db, keptDays.audit ?? null).prune(now);
}

async function countSignals(path = '/signals'): Promise<number | undefined> {
  return SignalList.parse(await (await tocsin.call('GET', path)).json()).total;
}

async function countDays(): Promise<number> {
  const { rows } = await sql`select from pg_class where relkind = 'r' and relname ~ '^signals_[0-9]{8}$'`.execute(db);
  return rows.length;
}

/** Not enough for an incident. */
const failOnce = () => tocsin.failIn(['search'], { times: 1 });

const resolve = (id: string) =>
  tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'rolled back' } });

const readIncident = async (id: string) => Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());

it('removes the audit after its own time, but not who created a key that works', async () => {
  await tocsin.call('POST', '/integrations', { body: { type: 'generic', name: 'checks' } });
  const audit = async () => {
    const changes = await db.selectFrom('integration_changes').select('type').execute();
    const ofKeys = await db.selectFrom('api_key_events').select('type').execute();
    return [changes.length > 0, ofKeys.length > 0];
  };
  await removeAfter(399, { audit: 400 });
  const kept = await audit();
  await removeAfter(401, { audit: 400 });

  expect([kept, await audit()]).toEqual([
    [true, true],
    [false, true],
  ]);
});

it('makes room for the next day, so that its first signal does not wait for a list', async () => {
  const now = new Date();
  await createPartitions(db, 30).prepare(now);
  const isDone = Promise.withResolvers<void>();
  const isRead = Promise.withResolvers<void>();
  const list = db.transaction().execute(async (tx) => {
    await tx.selectFrom('signals').select('id').execute();
    isRead.resolve();
    await isDone.promise;
  });
  await isRead.promise;

  await createPartitions(db, 30).ensure([addDays(now, 1)], now);
  await expect(createPartitions(db, 30).prepare(addDays(now, 1))).rejects.toThrow('lock timeout');

  isDone.resolve();
  await list;
  expect(await countDays()).toBe(1);
});

it('drops an old day of signals, and reports how many signals of an incident are left', async () => {
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await resolve(id);
  const before = await readIncident(id);

  await removeAfter(29);
  const kept = await readIncident(id);
  await removeAfter(32);

  expect(kept).toEqual(before);
  expect([await countSignals(), await countDays()]).toEqual([0, 0]);
  expect(await readIncident(id)).toEqual({ ...before, signals: [], signals_removed: 1 });
  expect(await countSignals(`/incidents/${id}/signals`)).toBe(0);
});

it('keeps the signals of an incident while it is open, and for the retention time after it is closed', async () => {
  await failOnce();
  await tocsin.failIn(['payments']);
  const { id, signals } = await tocsin.openIncident();
  const first = await countSignals();

  await removeAfter(40);
  const open = [await countSignals(), await countDays(), (await readIncident(id)).signals];
  tocsin.advance(daysToMs(40));
  await resolve(id);
  await removeAfter(69);
  const closed = (await readIncident(id)).signals;
  await removeAfter(71);

  expect(first).toBe(2);
  expect(open).toEqual([1, 0, signals]);
  expect(closed).toEqual(signals);
  expect(await countSignals()).toBe(0);
});

it('removes old signals from the default partition', async () => {
  await tocsin.failIn(['payments'], { agoMs: daysToMs(31) });
  const stored = [await countSignals(), await countDays()];

  await removeAfter(31);

  expect(stored).toEqual([1, 0]);
  expect(await countSignals()).toBe(0);
});

describe('of incidents', () => {
  async function close(service: string): Promise<Incident> {
    await tocsin.failIn([service]);
    const incident = await tocsin.openIncident();
    await resolve(incident.id);
    return incident;
  }

  it('removes what was closed before the retention time, with all that belongs to it, and counts it no more', async () => {
    const old = await close('payments');
    await tocsin.call('POST', `/incidents/${old.id}/notes`, { body: { user: 'ana', text: 'see the wiki' } });
    await tocsin.failIn(['search']);
    const open = await tocsin.openIncident();

    await removeAfter(89, { incidents: 90 });
    const kept = await readIncident(old.id);
    await removeAfter(92, { incidents: 90 });

    expect(kept.status).toBe('closed');
    expect((await tocsin.call('GET', `/incidents/${old.id}`)).status).toBe(404);
    expect(IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json())).toMatchObject({
      total: 1,
      incidents: [{ id: open.id }],
    });
    const left = await db
      .selectFrom('timeline_entries')
      .select('incident_id')
      .where('incident_id', '=', old.id)
      .execute();
    expect(left).toEqual([]);
  });

  it('gives no number of an incident that is gone to another one', async () => {
    const first = await close('payments');
    const second = await close('search');

    await removeAfter(92, { incidents: 90 });
    const third = await close('cart');
    await removeAfter(92, { incidents: 90 });
    await removeAfter(92, { incidents: 90 });
    const fourth = await close('checkout');

    expect([first, second, third, fourth].map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  it('leaves a later incident of the same failure, which then continues nothing', async () => {
    const first = await close('payments');
    tocsin.advance(daysToMs(60));
    const second = await close('payments');
    expect(second.previous_incident_id).toBe(first.id);

    await removeAfter(100, { incidents: 90 });
    const after = await readIncident(second.id);

    expect(after.previous_incident_id).toBeNull();
  });

  it('keeps an incident while its lesson is in use', async () => {
    await tocsin.failIn(['payments']);
    const { id } = await tocsin.openIncident();
    await tocsin.call('POST', `/incidents/${id}/resolve`, {
      body: { resolution_note: 'a drill', not_a_problem: true },
    });
    const status = async () => (await tocsin.call('GET', `/incidents/${id}`)).status;

    await removeAfter(60, { incidents: 40 });
    const during = await status();
    await db.updateTable('lessons').set({ forgotten_at: new Date() }).execute();
    await removeAfter(60, { incidents: 40 });

    expect([during, await status()]).toEqual([200, 404]);
  });

  it('removes what was merged together with the incident that it became a part of', async () => {
    const alert = (service: string) =>
      tocsin.call('POST', '/generic', { body: { service, summary: `${service} fails`, dedup_key: service } });
    await alert('disk');
    await alert('cart');
    const [whole, part] = await vi.waitUntil(
      async () => {
        const { incidents } = IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json());
        return incidents.length === 2 ? incidents : undefined;
      },
      { timeout: HANG_MS },
    );
    await tocsin.call('POST', `/incidents/${part?.id}/merge`, { body: { user: 'ana', into: whole?.id } });
    tocsin.advance(daysToMs(95));
    await resolve(whole?.id ?? '');
    const statuses = async () =>
      Promise.all([whole, part].map(async (each) => (await tocsin.call('GET', `/incidents/${each?.id}`)).status));

    await removeAfter(180, { incidents: 90 });
    expect(await statuses()).toEqual([200, 200]);
    // One that correlation writes just then is left for the next time.
    await expect.poll(() => removeAfter(190, { incidents: 90 }).then(statuses)).toEqual([404, 404]);
  });
});

it('is run by a service in the background, the incidents after their signals', async () => {
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await resolve(id);

  const days = { aheadMs: daysToMs(40), signalRetentionDays: 30, incidentRetentionDays: 35 };
  await using later = await startTestService({ database: tocsin.database, ...days });

  const status = async () => {
    later.advance(minutesToMilliseconds(1)); // a table may be locked for a moment
    return (await tocsin.call('GET', `/incidents/${id}`)).status;
  };
  await expect.poll(status).toBe(404);
});

it('gives up during a long read, so that signals are accepted meanwhile', async () => {
  await failOnce();

  await db.transaction().execute(async (tx) => {
    await sql`select from signals limit 1`.execute(tx);
    await expect(removeAfter(32)).rejects.toThrow('lock timeout');
    await failOnce();
  });
  const meanwhile = await countSignals();
  await removeAfter(32);

  expect(meanwhile).toBe(1);
  expect(await countSignals()).toBe(0);
});
