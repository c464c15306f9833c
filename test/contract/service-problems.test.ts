import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type FrontDoor, openFrontDoor } from '../../src/app/front-door.ts';
import { Integration } from '../../src/contract/integrations.ts';
import { ON_CALL_LIMITS } from '../../src/contract/on-call.ts';
import { Problem } from '../../src/contract/problem.ts';
import { PolicyPlan, WAKING_LIMITS } from '../../src/contract/waking.ts';
import { MAX_CHANGES } from '../../src/service/core/by-hand.ts';
import { createId } from '../../src/service/core/ids.ts';
import { MAX_NOTES } from '../../src/service/core/incident-changes.ts';
import { MAX_STREAMS_PER_READER } from '../../src/service/events/event-streams.ts';
import { type ProblemCode, STATUS_BY_CODE } from '../../src/service/http/problem.ts';
import { WAITING_READS } from '../../src/service/http/read-shares.ts';
import { INGEST_LIMITS } from '../../src/service/ingest/limits.ts';
import { MAX_CARDS } from '../../src/service/store/incidents/card-store.ts';
import { MAX_MUTES } from '../../src/service/store/mutes/mute-store.ts';
import { createPolicyStore } from '../../src/service/store/pages/policy-store.ts';
import { createWayStore } from '../../src/service/store/pages/way-store.ts';
import { createPeopleStore } from '../../src/service/store/people/people-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { HANG_MS } from '../support/hang.ts';
import { createLogLines } from '../support/log-lines.ts';
import { createLosableDatabase, type LosableDatabase } from '../support/losable-database.ts';
import { startSlowUpload } from '../support/slow-upload.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** Provokes every problem code over a socket. */
let tocsin: TestService;
let database: LosableDatabase;
let door: FrontDoor;
let db: Kysely<ServiceTables>;
let open: string;
let closed: string;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
  database = cleanup.use(await createLosableDatabase());
  tocsin = cleanup.use(await startTestService({ database, rateLimitPerMinute: 200 }));
  door = cleanup.use(await openFrontDoor('127.0.0.1', 0));
  door.handlers.service = tocsin.service.fetch;
  db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await tocsin.failIn(['payments']);
  closed = (await tocsin.openIncident()).id;
  await tocsin.call('POST', `/incidents/${closed}/resolve`, { body: { resolution_note: 'restarted' } });
  await tocsin.failIn(['a-service-of-its-own']);
  open = (await tocsin.openIncident()).id;
});
afterAll(() => cleanup.disposeAsync());

interface Sent {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function send(method: string, path: string, { key = tocsin.readWriteKey, body, headers }: Sent = {}) {
  return fetch(`${door.url}/v1${path}`, {
    method,
    headers: {
      'x-request-id': 'provoked',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

const ack = { user: 'ana' };
const slack = { type: 'slack', config: { team_id: 'T1', app_id: 'A1' } };

const Created = z.object({ id: z.string() });

async function addWebhook(path: string): Promise<string> {
  const body = { type: 'webhook', config: { url: `https://hooks.example/${path}` } };
  const { id } = Created.parse(await (await send('POST', '/integrations', { body })).json());
  return id;
}

const schedule = { name: 'One more', time_zone: 'Europe/Berlin', layers: [] };

async function created(method: string, path: string, body: object): Promise<z.infer<typeof Created>> {
  return Created.parse(await (await send(method, path, { body })).json());
}

async function addSchedule(name: string): Promise<string> {
  return (await created('POST', '/schedules', { ...schedule, name })).id;
}

const policyOf = (name: string) => ({
  ...ack,
  name,
  steps: [{ after_s: 0, to: [{ kind: 'channel', url: 'https://hooks.example/one' }] }],
});

async function addPerson(name: string): Promise<string> {
  const reference = `email:${name}@tocsin.test`;
  return (await createPeopleStore(db).savePerson(reference, { name }, new Date()))?.id ?? '';
}

function addEmail(personId: string): Promise<Response> {
  return send('POST', `/people/${personId}/ways`, { body: { kind: 'email', address: 'ana@tocsin.test' } });
}

/** One entry per code; a code without an entry does not compile. */
const provocations: Readonly<Record<ProblemCode, () => Promise<Response>>> = {
  'invalid-query': () => send('GET', '/incidents?limit=0'),
  'invalid-json': () => send('POST', '/integrations', { body: '{"type":' }),
  'invalid-idempotency-key': () =>
    send('POST', '/integrations', { body: slack, headers: { 'idempotency-key': 'k'.repeat(256) } }),
  unauthorized: () => send('GET', '/incidents', { key: null }),
  'insufficient-scope': () => send('POST', '/integrations', { key: tocsin.readOnlyKey, body: slack }),
  'not-found': () => send('GET', '/nowhere'),
  'incident-not-found': () => send('GET', `/incidents/${createId('inc', new Date())}`),
  'signal-not-found': () => send('GET', `/signals/${createId('sig', new Date())}`),
  'integration-not-found': () => send('DELETE', `/integrations/${createId('int', new Date())}`),
  'delivery-not-found': async () =>
    send('POST', `/integrations/${await addWebhook('a')}/deliveries/${createId('dlv', new Date())}/resend`),
  'mute-not-found': () => send('DELETE', `/mutes/${createId('mut', new Date())}?user=ana`),
  'person-not-found': () => send('GET', '/people/email:nobody@example.com'),
  'schedule-not-found': () => send('GET', `/schedules/${createId('sched', new Date())}`),
  'override-not-found': () => send('DELETE', `/overrides/${createId('ovr', new Date())}`),
  'swap-not-found': () =>
    send('POST', `/swaps/${createId('swap', new Date())}/answer`, { body: { answer: 'declined' } }),
  'schedule-name-taken': async () => {
    await addSchedule('Payments');
    return send('POST', '/schedules', { body: { ...schedule, name: 'payments' } });
  },
  'schedule-in-use': async () => {
    const id = await addSchedule('Night');
    const steps = [{ after_s: 0, to: [{ kind: 'schedule', id }] }];
    await created('POST', '/policies', { ...policyOf('Wakes at night'), steps });
    const refused = await send('DELETE', `/schedules/${id}`);
    expect(await refused.clone().json()).toMatchObject({
      detail: expect.stringContaining('the policies Wakes at night'),
    });
    return refused;
  },
  'empty-layer': async () => {
    const layers = [
      {
        people: [null],
        every: { count: 1, unit: 'day' },
        at: '09:00',
        anchor: '2026-01-01',
        valid_until: '2026-01-02T00:00:00Z',
      },
    ];
    return send('POST', '/schedules', { body: { ...schedule, name: 'Over', layers } });
  },
  'schedule-changed': async () =>
    send('PUT', `/schedules/${await addSchedule('Stock')}`, { body: schedule, headers: { 'if-match': '"7.other"' } }),
  'swap-answered': async () => {
    const { id: person } = await created('PUT', '/people/slack:U1', { name: 'Ana' });
    const body = { asker: person, to: new Date(Date.now() + 3_600_000) };
    const { id } = await created('POST', `/schedules/${await addSchedule('Mail')}/swaps`, body);
    await created('POST', `/swaps/${id}/answer`, { answer: 'withdrawn' });
    return send('POST', `/swaps/${id}/answer`, { body: { answer: 'declined' } });
  },
  'too-many-overrides': async () => {
    const id = await addSchedule('Search');
    const overrides = Array.from({ length: ON_CALL_LIMITS.futureOverrides }, (_, hour) => ({
      id: createId('ovr', new Date()),
      schedule_id: id,
      starts_at: new Date(Date.now() + hour * 3_600_000),
      ends_at: new Date(Date.now() + (hour + 1) * 3_600_000),
      created_by: 'ana',
      created_at: new Date(),
    }));
    await db.insertInto('schedule_overrides').values(overrides).execute();
    return send('POST', `/schedules/${id}/overrides`, { body: { person: null, to: new Date(Date.now() + 60_000) } });
  },
  'feed-not-found': () => send('DELETE', `/feeds/${createId('feed', new Date())}`),
  'too-many-feeds': async () => {
    const { id } = Created.parse(
      await (await send('POST', '/schedules', { body: { ...schedule, name: 'Fed' } })).json(),
    );
    for (let left = ON_CALL_LIMITS.feeds; left > 0; left -= 1) {
      await send('POST', `/schedules/${id}/feeds`);
    }
    return send('POST', `/schedules/${id}/feeds`);
  },
  'too-many-schedules': async () => {
    const made = { time_zone: 'UTC', created_at: new Date() };
    const schedules = Array.from({ length: ON_CALL_LIMITS.schedules }, (_, index) => ({
      id: createId('sched', new Date()),
      name: `schedule ${index}`,
      ...made,
    }));
    await db.insertInto('schedules').values(schedules).execute();
    return send('POST', '/schedules', { body: schedule });
  },
  'policy-not-found': () => send('DELETE', `/policies/${createId('policy', new Date())}`),
  'way-not-found': () => send('DELETE', `/ways/${createId('way', new Date())}`),
  'attempt-not-found': () => send('POST', '/pages/test/attempts/none/report', { body: { state: 'accepted' } }),
  'policy-name-taken': async () => {
    await send('POST', '/policies', { body: policyOf('Payments') });
    return send('POST', '/policies', { body: policyOf('Payments') });
  },
  'too-many-policies': async () => {
    const actor = { by: 'ana' };
    for (let left = WAKING_LIMITS.policies; left > 0; left -= 1) {
      const plan = PolicyPlan.parse(policyOf(`policy ${left}`));
      await createPolicyStore(db)
        .create(plan, actor, new Date())
        .catch(() => null);
    }
    return send('POST', '/policies', { body: policyOf('one more') });
  },
  'too-many-ways': async () => {
    const personId = await addPerson('many');
    for (let number = 0; number < WAKING_LIMITS.waysOfPerson; number += 1) {
      const way = { personId, kind: 'email' as const, loudAfterS: 0, quietAfterS: 0 };
      await createWayStore(db).add({ ...way, address: { email: `a${number}@tocsin.test` } }, new Date());
    }
    return addEmail(personId);
  },
  'too-many-tests': async () => {
    const personId = await addPerson('impatient');
    const { id } = Created.parse(await (await addEmail(personId)).json());
    for (;;) {
      const response = await send('POST', `/ways/${id}/test`);
      if (response.status !== 200) {
        return response;
      }
    }
  },
  'invalid-way': async () =>
    send('POST', `/people/${await addPerson('odd')}/ways`, { body: { kind: 'email', address: 'somewhere' } }),
  'wrong-code': async () => {
    const { id } = Created.parse(await (await addEmail(await addPerson('forgetful'))).json());
    return send('POST', `/ways/${id}/verify`, { body: { code: '000000' } });
  },
  'method-not-allowed': () => send('PUT', '/incidents', { body: {} }),
  'incident-closed': () => send('POST', `/incidents/${closed}/acknowledge`, { body: ack }),
  'incident-merged': async () => {
    const changed = await db.updateTable('incidents').set({ merged_into: open }).where('id', '=', closed).execute();
    expect(changed).toHaveLength(1);
    return send('POST', `/incidents/${closed}/reopen`, { body: ack });
  },
  'incident-not-merged': () => send('POST', `/incidents/${open}/split`, { body: ack }),
  'same-incident': () => send('POST', `/incidents/${open}/merge`, { body: { ...ack, into: open } }),
  'other-system': async () => {
    await db.updateTable('incidents').set({ system: 'acme' }).where('id', '=', closed).execute();
    return send('POST', `/incidents/${open}/merge`, { body: { ...ack, into: closed } });
  },
  'too-many-changes': async () => {
    const change = { incident_id: open, at: new Date(), event: 'changed', author: 'ana', text: 'lead: ana' } as const;
    await db
      .insertInto('timeline_entries')
      .values(Array.from({ length: MAX_CHANGES }, () => change))
      .execute();
    return send('PATCH', `/incidents/${open}`, { body: { ...ack, lead: 'ben' } });
  },
  'too-many-notes': async () => {
    const note = { incident_id: open, at: new Date(), event: 'note', author: 'ana', text: 'it is the disk' } as const;
    await db
      .insertInto('timeline_entries')
      .values(Array.from({ length: MAX_NOTES }, () => note))
      .execute();
    return send('POST', `/incidents/${open}/notes`, { body: { ...ack, text: 'one more' } });
  },
  'too-many-cards': async () => {
    const cards = Array.from({ length: MAX_CARDS }, (_, index) => ({
      incident_id: open,
      place: `#channel-${index}`,
      url: 'https://example.slack.com/archives/C1/p1',
    }));
    await db.insertInto('incident_cards').values(cards).execute();
    return send('POST', `/incidents/${open}/cards`, { body: { url: cards[0]?.url, place: '#one-more' } });
  },
  'too-many-mutes': async () => {
    const until = new Date(Date.now() + 3_600_000);
    const mutes = Array.from({ length: MAX_MUTES }, (_, index) => ({
      id: createId('mut', until),
      target: 'service' as const,
      value: `service-${index}`,
      until,
      reason: null,
      created_by: 'ana',
      created_at: new Date(),
      patterns: null,
    }));
    await db.insertInto('mutes').values(mutes).execute();
    const body = { ...ack, target: 'service', value: 'one-more', until: until.toISOString() };
    return send('POST', '/mutes', { body });
  },
  'request-in-flight': async () => {
    const acknowledge = () =>
      send('POST', `/incidents/${open}/acknowledge`, { body: ack, headers: { 'idempotency-key': 'twice' } });
    const { first, second } = await db.transaction().execute(async (tx) => {
      await sql`lock table incidents in access exclusive mode`.execute(tx);
      const begun = acknowledge();
      const isBegun = async () => {
        const { rows } = await sql`select from idempotency_keys where idempotency_key = 'twice'`.execute(tx);
        return rows.length > 0;
      };
      await vi.waitUntil(isBegun, { timeout: HANG_MS });
      return { first: begun, second: await acknowledge() };
    });
    await (await first).body?.cancel();
    return second;
  },
  'not-a-webhook': async () => {
    const { id } = Created.parse(await (await send('POST', '/integrations', { body: slack })).json());
    return send('POST', `/integrations/${id}/enable`);
  },
  'integration-disabled': async () => {
    const id = await addWebhook('b');
    await db.updateTable('integrations').set({ disabled_at: new Date() }).where('id', '=', id).execute();
    return send('POST', `/integrations/${id}/resend`, { body: { since: '2026-01-31T08:00:00Z' } });
  },
  'event-gone': () => send('GET', '/events', { headers: { 'last-event-id': '999999999' } }),
  'incident-changed': () =>
    send('POST', `/incidents/${open}/acknowledge`, { body: ack, headers: { 'if-match': '"of-another-time"' } }),
  'request-expired': () =>
    send('POST', `/incidents/${open}/acknowledge`, {
      body: ack,
      headers: { 'tocsin-deadline': '2026-01-31T08:00:00Z' },
    }),
  'body-too-large': () => send('POST', '/integrations', { body: { type: 'x'.repeat(300_000) } }),
  'unsupported-media-type': () =>
    send('POST', '/integrations', { body: 'type=slack', headers: { 'content-type': 'text/plain' } }),
  'invalid-body': () => send('POST', `/incidents/${open}/acknowledge`, { body: {} }),
  'idempotency-key-reused': async () => {
    const headers = { 'idempotency-key': 'for two things' };
    await (await send('POST', '/integrations', { body: slack, headers })).body?.cancel();
    return send('POST', '/integrations', { body: { ...slack, name: 'other' }, headers });
  },
  'rate-limited': async () => {
    const key = await tocsin.service.createKey('impatient', 'read-only');
    for (;;) {
      const response = await send('GET', '/nowhere', { key });
      if (response.status === 429) {
        return response; // not of another request, by when one more may be allowed
      }
    }
  },
  'too-many-reads': async () => {
    const key = await tocsin.service.createKey('curious', 'read-only');
    return db.transaction().execute(async (tx) => {
      await sql`lock table signals in access exclusive mode`.execute(tx);
      const answers = Array.from({ length: 1 + WAITING_READS + 1 }, () => send('GET', '/signals', { key }));
      return Promise.race(answers); // the others wait for the lock
    });
  },
  'too-many-streams': async () => {
    const key = await tocsin.service.createKey('follower', 'read-only');
    for (let opened = 0; opened < MAX_STREAMS_PER_READER; opened += 1) {
      const response = await tocsin.call('GET', '/events', { key });
      expect(response.status).toBe(200);
      cleanup.defer(() => response.body?.cancel());
    }
    return send('GET', '/events', { key });
  },
  'query-too-slow': async () => {
    return db.transaction().execute(async (tx) => {
      await sql`lock table signals in access exclusive mode`.execute(tx);
      return send('GET', '/signals?q=x'); // waits for the lock until its limit
    });
  },
  'client-gone': async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    const authorization = `Bearer ${tocsin.readWriteKey}`;
    const headers = { authorization, 'content-type': 'application/json', 'x-request-id': 'provoked' };
    const url = `${door.url}/v1/generic`;
    return tocsin.service.fetch(new Request(url, { method: 'POST', headers, body, duplex: 'half' })); // without a socket
  },
  overloaded: async () => {
    const { fetch: receive } = tocsin.service;
    const bytes = INGEST_LIMITS.bytesInFlight / 2 / 6 - 2; // a sixth of what one key may have in flight
    const uploads = Array.from({ length: 6 }, () =>
      startSlowUpload(receive, `${door.url}/v1/logs`, tocsin.readWriteKey, bytes),
    );
    await Promise.all(uploads.map(({ isTaken }) => isTaken));
    const refused = await send('POST', '/generic', { body: { service: 'backup', summary: 'it failed' } });
    for (const upload of uploads) {
      upload.end();
    }
    await Promise.all(uploads.map(({ response }) => response));
    return refused;
  },
  'mapping-paused': async () => {
    const config = { mapping: { title: 'body.s.matches("^(a+)+$") ? "x" : "y"' } };
    const created = await send('POST', '/integrations', { body: { type: 'json', name: 'costly', config } });
    const { ingest_key: key = '' } = Integration.parse(await created.json());
    await send('POST', '/json', { key, body: { s: `${'a'.repeat(40)}!` } });
    return send('POST', '/json', { key, body: { s: 'a' } });
  },
  internal: async () => {
    await sql`alter table integrations rename to something_only_we_know`.execute(db);
    const response = await send('GET', '/integrations');
    await sql`alter table something_only_we_know rename to integrations`.execute(db);
    return response;
  },
  'storage-unavailable': async () => {
    database.lose(); // it does not come back, so this is last
    return send('GET', '/incidents');
  },
};

const codes = Object.keys(provocations) as ProblemCode[];

describe('a problem', () => {
  it.each(codes)('%s has its status, its code and the request id', async (code) => {
    const response = await provocations[code]();

    const problem = Problem.parse(await response.json());
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('x-request-id')).toBe('provoked');
    expect(problem).toMatchObject({ status: STATUS_BY_CODE[code], code, request_id: 'provoked' });
    expect(response.status).toBe(STATUS_BY_CODE[code]);
    expect(response.headers.has('retry-after')).toBe(
      [429, 503].includes(response.status) || code === 'request-in-flight',
    );
  });
});

it('hides internal errors, and logs them with the request id', async () => {
  const { logger, lines } = createLogLines();
  await using broken = await startTestService({ logger });
  const tables = await broken.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await sql`alter table integrations rename to something_only_we_know`.execute(tables);

  const response = await broken.call('GET', '/integrations', { headers: { 'x-request-id': 'broken' } });

  expect(await response.json()).toEqual({
    type: 'about:blank',
    title: 'Internal Server Error',
    status: 500,
    code: 'internal',
    request_id: 'broken',
  });
  const failures = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request failed');
  expect(failures).toMatchObject([
    {
      level: 50,
      requestId: 'broken',
      traceId: expect.any(String),
      err: { message: expect.stringContaining('integrations') },
    },
  ]);
});
