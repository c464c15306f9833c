import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { MAX_SIGNALS_PER_INCIDENT } from '../../src/service/core/incident.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** Rules for every response. */
let tocsin: TestService;
let incident: Incident;
/** One response of each kind, as text. */
let answers: readonly string[];

beforeAll(async () => {
  tocsin = await startTestService();
  await tocsin.failIn(['payments', 'stock']);
  incident = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${incident.id}/acknowledge`, { body: { user: 'ana' } });
  await tocsin.call('POST', '/integrations', { body: { type: 'alertmanager', name: 'production' } });
  await tocsin.call('POST', '/generic', { body: { type: 'log', service: 'backup', summary: 'one line alone' } });
  await tocsin.call('POST', `/incidents/${incident.id}/resolve`, { body: { resolution_note: 'restarted' } });
  const paths = [
    '/incidents',
    `/incidents/${incident.id}`,
    '/signals',
    `/incidents/${incident.id}/signals`,
    '/integrations',
  ];
  answers = await Promise.all(paths.map(async (path) => (await tocsin.call('GET', path)).text()));
});
afterAll(() => tocsin[Symbol.asyncDispose]());

/** All values of the fields with matching names, at any depth. */
function valuesOf(name: RegExp): unknown[] {
  const found: unknown[] = [];
  for (const answer of answers) {
    JSON.parse(answer, (key, value: unknown) => {
      if (name.test(key) && value !== null) {
        found.push(value);
      }
      return value;
    });
  }
  return found;
}

it('writes every time in UTC with milliseconds and Z', () => {
  const times = valuesOf(/^(.+_at|at)$/);

  expect(times.length).toBeGreaterThan(20);
  expect(times.filter((time) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(time)))).toEqual([]);
});

it('uses opaque ids with a prefix and at most 64 characters', () => {
  const isOfThing = /^(?!.*by_id$)(.+_)?id$/; // people have ids of their own systems
  const ids = valuesOf(isOfThing).filter((id) => !/^[0-9a-f]+$/.test(String(id))); // trace and span ids are OpenTelemetry's

  expect(new Set(ids.map((id) => String(id).slice(0, 4)))).toEqual(new Set(['inc_', 'sig_', 'int_']));
  expect(ids.filter((id) => !/^[a-z]{3}_[0-9a-z]{26}$/.test(String(id)))).toEqual([]);
});

it.each(['', '/signals'])('accepts the number of an incident as its id: /incidents/{id}%s', async (path) => {
  const read = async (id: string) => {
    const answer = await tocsin.call('GET', `/incidents/${id}${path}`);
    return { status: answer.status, text: await answer.text() };
  };

  // Correlation may still change the incident between the two requests.
  await vi.waitFor(async () => {
    const byNumber = await read(String(incident.number));
    expect(byNumber.status).toBe(200);
    expect(byNumber.text).toBe((await read(incident.id)).text);
  }, 30_000);
});

it('omits the incident of a signal without one', async () => {
  const { signals } = SignalList.parse(await (await tocsin.call('GET', '/signals?service=backup')).json());

  expect(signals).toMatchObject([{ type: 'log', body: 'one line alone' }]);
  expect(signals[0]).not.toHaveProperty('incident_id');
});

it('uses the same envelope for all lists', async () => {
  const envelopes = answers.map((answer) => Object.keys(JSON.parse(answer))).filter((keys) => keys.includes('total'));

  expect(envelopes).toEqual(
    ['incidents', 'signals', 'signals', 'integrations'].map((name) => [
      name,
      'total',
      'limit',
      'offset',
      'has_more',
      'next_cursor',
      ...(name === 'integrations' ? [] : ['total_is_lower_bound']),
    ]),
  );
});

it('has the root service unknown when the sender gave no name', async () => {
  await using nameless = await startTestService();
  const span = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    name: 'GET /',
    kind: 2,
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now()}000000`,
    status: { code: 2 },
  };
  const spans = ['b', 'c', 'd'].map((digit) => ({ ...span, spanId: digit.repeat(16) }));
  await nameless.call('POST', '/traces', { body: { resourceSpans: [{ scopeSpans: [{ spans }] }] } });

  expect(await nameless.openIncident()).toMatchObject({ root_service: 'unknown' });
});

it('orders incidents of the same moment by id, descending', async () => {
  await using several = await startTestService();
  const services = ['one', 'two', 'three', 'four'];
  await several.call('POST', '/generic', { body: services.map((service) => ({ service, summary: 'it failed' })) });
  await several.openIncident();
  const { incidents } = IncidentList.parse(await (await several.call('GET', '/incidents')).json());

  expect(new Set(incidents.map(({ opened_at }) => opened_at)).size).toBe(1);
  expect(incidents.map(({ id }) => id)).toEqual(
    incidents
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
  expect(incidents).toHaveLength(4);
});

it('returns all signals of an incident, at most ten thousand', async () => {
  await using stormy = await startTestService();
  for (let sent = 0; sent < MAX_SIGNALS_PER_INCIDENT + 1_000; sent += 1_000) {
    const events = Array.from({ length: 1_000 }, (_, index) => ({
      service: 'payments',
      summary: 'it failed',
      dedup_key: String(sent + index),
    }));
    expect((await stormy.call('POST', '/generic', { body: events })).status).toBe(200);
  }
  const { id } = await stormy.openIncident();
  const read = async (path: string): Promise<unknown> => (await stormy.call('GET', path)).json();
  const readCount = async () => Incident.parse(await read(`/incidents/${id}?signals=none`)).signal_count;
  await expect.poll(readCount, { timeout: HANG_MS }).toBe(MAX_SIGNALS_PER_INCIDENT); // a slow machine adds them in several steps

  const all = Incident.parse(await read(`/incidents/${id}`));
  expect(all.signal_count).toBe(MAX_SIGNALS_PER_INCIDENT);
  expect(all.signals).toHaveLength(MAX_SIGNALS_PER_INCIDENT);
  expect(await read('/signals?limit=1')).toMatchObject({
    total: 10_000, // signals are counted up to here
    total_is_lower_bound: true,
  });
});
