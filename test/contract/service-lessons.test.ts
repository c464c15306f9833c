import { describe, expect, it, vi } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { MAIN_SYSTEM } from '../../src/contract/system.ts';
import { postgresLog } from '../../src/service/log/postgres-log.ts';
import { restore } from '../../src/service/pipeline/memory.ts';
import { createProgress, createSharedMemory } from '../../src/service/pipeline/progress.ts';
import { dropSnapshot } from '../../src/service/store/log/correlation-lease.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { signIn } from '../support/dashboard.ts';
import { HANG_MS } from '../support/hang.ts';
import { silentLogger } from '../support/logger.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const NOTE = 'The nightly import fails now and then';
/** Longer than a closed incident absorbs what goes on. */
const COOLDOWN_MS = 11 * 60_000;
const WAIT = { timeout: HANG_MS };

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
  await dropSnapshot(db, MAIN_SYSTEM);
  const progress = createProgress(createSharedMemory());

  const { state } = await restore({
    db,
    log: postgresLog,
    system: MAIN_SYSTEM,
    renew: async () => undefined,
    progress,
    logger: silentLogger,
  });

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

describe('a root that was set by hand', () => {
  it('is named first when the same comes again, because of whom, until the root is set back or the lesson forgotten', async () => {
    await using tocsin = await startTestService();
    const admin = await signIn(tocsin, tocsin.readWriteKey);
    const pageOfLessons = async () => (await admin.visit('/settings/lessons')).text();
    const first = await openBoth(tocsin);
    const [found, set] = ['payments', 'web'];

    const changed = await setRoot(tocsin, first, set);
    const taught = await pageOfLessons();
    await setRoot(tocsin, first, null);
    const takenBack = await pageOfLessons();
    await setRoot(tocsin, first, set);
    await resolve(tocsin, first, {});
    tocsin.advance(COOLDOWN_MS);
    const second = await openBoth(tocsin);
    await resolve(tocsin, second, {});
    const [, forget = ''] =
      /action="\/dashboard(\/settings\/lessons\/[^"]+\/forget)"/.exec(await pageOfLessons()) ?? [];
    await admin.visit(forget, { form: {} });
    tocsin.advance(COOLDOWN_MS);
    const third = await openBoth(tocsin);

    expect(changed).toMatchObject({ root_service: set, detected: { root_service: found } });
    expect(changed.timeline?.slice(-2)).toMatchObject([
      { event: 'changed', by: 'ana' },
      {
        event: 'taught',
        by: 'ana',
        text: expect.stringMatching(
          '^web is the root, not payments, if payments shows .*failed requests.* and web shows failed calls$',
        ),
      },
    ]);
    expect(taught).toContain(`${set} is the root, not ${found}`);
    expect(takenBack).toContain('Nothing was taught.');
    expect(second).toMatchObject({
      root_service: set,
      correlation: { taught_root: { found, by: 'ana (by key test)', incident: first.number } },
    });
    expect(second.correlation?.evidence[0]).toMatch(
      new RegExp(`^set by hand on \\d+ \\w+ \\d{4} in #${first.number}, where ${found} was found$`),
    );
    expect(second.correlation?.candidates?.map(({ service }) => service)).toEqual([set, found]);
    expect(second.correlation?.confidence).toBe(0.67);
    expect(third).toMatchObject({ root_service: found });
    expect(third.correlation?.taught_root).toBeUndefined();
  });

  it('survives reopening, which takes back only that an incident was no problem', async () => {
    await using tocsin = await startTestService();
    const admin = await signIn(tocsin, tocsin.readWriteKey);
    const incident = await openBoth(tocsin);
    await setRoot(tocsin, incident, 'web');
    await resolve(tocsin, incident, { not_a_problem: true });

    await tocsin.call('POST', `/incidents/${incident.id}/reopen`, { body: { user: 'ana' } });
    const page = await (await admin.visit('/settings/lessons')).text();

    expect(page).toContain('web is the root, not payments');
    expect(page.match(/\/forget"/g)).toHaveLength(1);
  });
});

/** Requests through `web` to `payments`, which fails. */
async function openBoth(tocsin: TestService): Promise<Incident> {
  await tocsin.failIn([]); // waits for an incident of any service
  const at = tocsin.now().getTime();
  const spans = (service: string, more: object) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [
      {
        spans: TRACES.map((traceId) => ({
          traceId: `${at}${traceId}`.padStart(32, '0'),
          name: `GET /${service}`,
          kind: 2,
          startTimeUnixNano: `${at - 20}000000`,
          endTimeUnixNano: `${at}000000`,
          status: { code: 2, message: 'connection refused' },
          ...more,
        })),
      },
    ],
  });
  const web = spans('web', { spanId: 'aaaaaaaaaaaaaaaa' });
  const payments = spans('payments', { spanId: 'bbbbbbbbbbbbbbbb', parentSpanId: 'aaaaaaaaaaaaaaaa' });
  const answer = await tocsin.call('POST', '/traces', { body: { resourceSpans: [web, payments] } });
  expect(answer.status).toBe(200);
  return tocsin.openIncident();
}

const TRACES = ['01', '02', '03', '04', '05', '06'];

async function setRoot(tocsin: TestService, { id }: { readonly id: string }, root: string | null): Promise<Incident> {
  const answer = await tocsin.call('PATCH', `/incidents/${id}`, { body: { root_service: root, user: 'ana' } });
  return Incident.parse(await answer.json());
}

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
