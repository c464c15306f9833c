import { hoursToMilliseconds } from 'date-fns/hoursToMilliseconds';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { HANG_MS } from '../support/hang.ts';
import { silentLogger } from '../support/logger.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const daysToMs = (days: number) => hoursToMilliseconds(24 * days);

let tocsin: TestService;
let db: Kysely<ServiceTables>;

beforeEach(async () => {
  tocsin = await startTestService();
  db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
});
afterEach(() => tocsin[Symbol.asyncDispose]());

/** A second service over the same tables, with its clock ahead. It keeps signals for 30 days. */
const startLater = (days: number, logger = silentLogger) =>
  startTestService({ database: tocsin.database, aheadMs: daysToMs(days), signalRetentionDays: 30, logger });

/** Runs the retention once. */
async function removeAfter(days: number): Promise<void> {
  await using _service = await startLater(days);
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
  const removeAuditAfter = async (days: number) => {
    const options = { database: tocsin.database, aheadMs: daysToMs(days), auditRetentionDays: 400 };
    await using _service = await startTestService(options);
  };

  await removeAuditAfter(399);
  const kept = await audit();
  await removeAuditAfter(401);

  expect([kept, await audit()]).toEqual([
    [true, true],
    [false, true],
  ]);
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

it('gives up during a long read, so that signals are accepted meanwhile', async () => {
  await failOnce();
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });

  await db.transaction().execute(async (tx) => {
    await sql`select from signals limit 1`.execute(tx);
    await using _later = await startLater(32, logger);
    await vi.waitUntil(() => lines.length > 0, { timeout: HANG_MS });
    await failOnce();
  });
  const meanwhile = await countSignals();
  await removeAfter(32);

  expect(lines.join('')).toContain('expired data could not be removed');
  expect(meanwhile).toBe(1);
  expect(await countSignals()).toBe(0);
});
