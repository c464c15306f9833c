import { expect, it, vi } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { restore } from '../../src/service/pipeline/memory.ts';
import { createProgress, createSharedMemory } from '../../src/service/pipeline/progress.ts';
import { dropSnapshot } from '../../src/service/store/log/correlation-lease.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { signIn } from '../support/dashboard.ts';
import { silentLogger } from '../support/logger.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const NOTE = 'The nightly import fails now and then';
/** Longer than a closed incident absorbs what goes on. */
const COOLDOWN_MS = 11 * 60_000;
const WAIT = { timeout: 45_000 };

it('does not open again for what somebody closed as no problem, but for clearly more, and says so', async () => {
  await using tocsin = await startTestService();
  const first = await open(tocsin);

  const answer = await resolve(tocsin, first, { not_a_problem: true });
  const closed = await read(tocsin, first.id);
  tocsin.advance(COOLDOWN_MS);
  await tocsin.failIn(['payments']);
  await tocsin.failIn(['search']);
  const other = await tocsin.openIncident();
  await tocsin.failIn(['payments'], { times: 40 });
  const worse = await tocsin.openIncident();

  expect(first.teaches).toEqual(['payments: failed requests in GET /, 100 % of them']);
  expect(answer.status).toBe(200);
  expect(closed).toMatchObject({ status: 'closed', not_a_problem: true });
  expect(closed.timeline?.at(-1)).toMatchObject({ event: 'taught', by: 'ana', text: first.teaches?.[0] });
  expect(other.root_service).toBe('search'); // payments had time to open too
  expect(worse.root_service).toBe('payments');
  expect(worse.number).toBe((other.number ?? 0) + 1);
  expect(worse.correlation?.evidence?.join('\n')).toContain(`#${first.number} taught to be no problem`);
});

it('opens as before once the lesson is taken back, by reopening or on the page of lessons', async () => {
  await using tocsin = await startTestService();
  const [admin, viewer] = [await signIn(tocsin, tocsin.readWriteKey), await signIn(tocsin, tocsin.readOnlyKey)];
  const pageOf = async (visitor: typeof admin) => (await visitor.visit('/settings/lessons')).text();
  const first = await open(tocsin);
  await resolve(tocsin, first, { not_a_problem: true });

  const taught = await pageOf(viewer);
  await tocsin.call('POST', `/incidents/${first.id}/reopen`, { body: { user: 'ana' } });
  const reopened = [await pageOf(viewer), await read(tocsin, first.id)] as const;
  await resolve(tocsin, first, { not_a_problem: true });
  const [, forget = ''] = /action="\/dashboard(\/settings\/lessons\/[^"]+\/forget)"/.exec(await pageOf(admin)) ?? [];
  const refused = await viewer.visit(forget, { form: {} });
  const forgotten = await admin.visit(forget, { form: {} });
  const last = await read(tocsin, first.id);
  tocsin.advance(COOLDOWN_MS);
  const again = await open(tocsin);

  expect(taught).toContain('payments: failed requests in GET /');
  expect(taught).toContain(NOTE);
  expect(taught).not.toContain('/forget"');
  expect(reopened[0]).toContain('Nothing was taught.');
  expect(reopened[1].not_a_problem).toBe(false);
  expect([refused.status, forgotten.status]).toEqual([403, 303]);
  expect(await pageOf(admin)).toContain('Nothing was taught.');
  expect(last.timeline?.at(-1)).toMatchObject({ event: 'forgotten', text: first.teaches?.[0] });
  expect(again.number).toBeGreaterThan(first.number ?? 0);
});

it('keeps a lesson when correlation starts with an empty state', async () => {
  await using tocsin = await startTestService();
  await resolve(tocsin, await open(tocsin), { not_a_problem: true });
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await dropSnapshot(db);
  const progress = createProgress(createSharedMemory());

  const { state } = await restore({ db, process: 'another', progress, logger: silentLogger });

  const lessons = [...state.judge.accounts.lessons.values()].flat();
  expect(lessons.map(({ taught }) => taught.place)).toEqual(['payments']);
});

it('teaches nothing about alerts, which their senders judge', async () => {
  await using tocsin = await startTestService();
  await tocsin.call('POST', '/generic', { body: { service: 'disk', summary: 'disk is full', dedup_key: 'a' } });
  const incident = await vi.waitUntil(async () => {
    const { incidents } = IncidentList.parse(await (await tocsin.call('GET', '/incidents?status=open')).json());
    return incidents[0];
  }, WAIT);

  const answer = await resolve(tocsin, incident, { not_a_problem: true });

  expect(await answer.json()).toMatchObject({ status: 'closed', not_a_problem: true, teaches: [] });
});

async function open(tocsin: TestService): Promise<Incident> {
  await tocsin.failIn(['payments']);
  return tocsin.openIncident();
}

function resolve(tocsin: TestService, { id }: { readonly id: string }, about: object): Promise<Response> {
  return tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: NOTE, user: 'ana', ...about } });
}

async function read(tocsin: TestService, id: string): Promise<Incident> {
  return Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
}
