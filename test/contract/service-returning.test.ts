import { expect, it, vi } from 'vitest';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { HANG_MS } from '../support/hang.ts';
import { SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';

/** Correlation forgets a silent incident after ten minutes. */
const FORGOTTEN_MS = 40 * 60_000;

async function list(tocsin: TestService) {
  return IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json()).incidents;
}

async function read(tocsin: TestService, id: string): Promise<Incident> {
  return Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
}

/** Waits while time passes by the service's clock, 36 times as fast: what is done next comes soon after what was waited for. */
function whileTimePasses<Result>(tocsin: TestService, look: () => Promise<Result>): Promise<NonNullable<Result>> {
  const lookLater = () => {
    tocsin.advance(SETTLE_MS);
    return look();
  };
  return vi.waitUntil(lookLater, { timeout: HANG_MS, interval: SETTLE_MS / 36 }) as Promise<NonNullable<Result>>;
}

/** An incident that correlation has seen to be quiet, and has forgotten since. */
async function forgetIncident(tocsin: TestService): Promise<string> {
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await whileTimePasses(tocsin, async () => (await read(tocsin, id)).activity !== 'failing');
  tocsin.advance(FORGOTTEN_MS);
  await tocsin.failIn([]); // correlation looks
  tocsin.advance(SETTLE_MS);
  return id;
}

it('returns to its incident when it was forgotten and nobody has closed it', async () => {
  await using tocsin = await startTestService();
  const id = await forgetIncident(tocsin);

  await tocsin.failIn(['payments']);
  await whileTimePasses(tocsin, async () => (await read(tocsin, id)).activity === 'failing');

  const { signals } = SignalList.parse(await (await tocsin.call('GET', `/incidents/${id}/signals`)).json());
  expect(signals.map(({ service }) => service)).toEqual(['payments', 'payments']);
  expect((await list(tocsin)).map((each) => each.id)).toEqual([id]);
});

it('opens another incident, which names the first, when somebody closed that after it was forgotten', async () => {
  await using tocsin = await startTestService();
  const id = await forgetIncident(tocsin);
  const body = { resolution_note: 'restarted the workers' };
  expect((await tocsin.call('POST', `/incidents/${id}/resolve`, { body })).status).toBe(200);

  await tocsin.failIn(['payments']);
  const opened = await whileTimePasses(tocsin, async () => (await list(tocsin)).find((each) => each.id !== id));

  expect(await read(tocsin, opened.id)).toMatchObject({ status: 'open', previous_incident_id: id });
  expect(await read(tocsin, id)).toMatchObject({ status: 'closed' });
});

it('opens another incident at once when somebody closed the first after it had ended', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await whileTimePasses(tocsin, async () => (await read(tocsin, id)).activity !== 'failing');
  const body = { resolution_note: 'restarted the workers' };
  expect((await tocsin.call('POST', `/incidents/${id}/resolve`, { body })).status).toBe(200);
  tocsin.advance(SETTLE_MS); // what failed before it was closed would belong to it

  await tocsin.failIn(['payments']);
  const opened = await whileTimePasses(tocsin, async () => (await list(tocsin)).find((each) => each.id !== id));

  const { signals } = SignalList.parse(await (await tocsin.call('GET', `/incidents/${opened.id}/signals`)).json());
  expect(signals.map(({ service }) => service)).toEqual(['payments']);
  expect(await read(tocsin, opened.id)).toMatchObject({ status: 'open', previous_incident_id: id });
});

it('returns to its incident after a restart', async () => {
  await using database: TestDatabase = await createTestDatabase();
  const before = await startTestService({ database });
  const id = await forgetIncident(before);
  const { readWriteKey: key } = before;
  const aheadMs = before.now().getTime() - Date.now();
  await before[Symbol.asyncDispose]();
  await using tocsin = await startTestService({ database, aheadMs });

  await tocsin.failIn(['payments'], { key });
  await whileTimePasses(
    tocsin,
    async () => (await read(tocsin, id)).activity === 'failing' || (await list(tocsin)).length > 1,
  );

  expect((await list(tocsin)).map((each) => each.id)).toEqual([id]);
});
