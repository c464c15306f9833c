import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../test/support/bot-team.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { silentLogger } from '../../../test/support/logger.ts';
import { type Loopback, startLoopback } from '../../../test/support/loopback.ts';
import { createServiceClient } from '../../client/service-client.ts';
import { type Clock, createRealClock } from '../../runtime/clock.ts';
import { URGENCY } from '../incident/urgency.ts';
import { createStore, type Store } from '../store.ts';
import { createEventFeed, type EventFeed } from './event-feed.ts';

const OPENED_AT = '2026-01-31T08:00:00.000Z';

function incident(changes: object = {}) {
  return { id: 'i1', status: 'open', signal_count: 3, root_service: 'payments', opened_at: OPENED_AT, ...changes };
}

/** An event as the service sends it. */
function event(id: number, type: string, state: object): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id: String(id), type, incident: state })}\n\n`;
}

/** Starts a stream and leaves it open. */
function stream(response: ServerResponse, ...events: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`retry: 2000\n\n${events.join('')}`);
}

interface Scene {
  readonly store: Store;
  readonly feed: EventFeed;
  readonly server: Loopback;
  /** `Last-Event-ID` of each request for the stream. */
  readonly askedFrom: readonly (string | undefined)[];
  readonly changes: () => number;
}

/** @param answers to `GET /events`, in order; the last one is repeated */
async function follow(
  answers: readonly ((response: ServerResponse) => void)[],
  details: object = {},
  clock = createRealClock(),
): Promise<Scene> {
  const scope = new AsyncDisposableStack();
  onTestFinished(() => scope.disposeAsync());
  const askedFrom: (string | undefined)[] = [];
  const server = scope.use(
    await startLoopback((response, request) => {
      if (request.url !== '/v1/events') {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(details));
        return;
      }
      const answer = answers[Math.min(askedFrom.length, answers.length - 1)];
      askedFrom.push(request.headers['last-event-id']?.toString());
      answer?.(response);
    }),
  );
  const store = await createStore(scope.use(await createTestDatabase()));
  const service = scope.use(createServiceClient({ baseUrl: `${server.url}/v1`, apiKey: 'a-key' }));
  let changes = 0;
  const onChanged = () => {
    changes += 1;
  };
  const feed = scope.use(
    createEventFeed({
      service,
      store,
      people: { findByEmail: async () => null },
      wakes: { tell: async () => undefined, catchUp: async () => undefined },
      onChanged,
      logger: silentLogger,
      clock,
    }),
  );
  feed.start();
  return { store, feed, server, askedFrom, changes: () => changes };
}

/** Each timer runs at once; `waits` has how long it should have taken. */
function createHastyClock() {
  const waits: number[] = [];
  const real = createRealClock();
  const clock: Clock = { ...real, after: (ms, work) => real.after(0, () => [waits.push(ms), work()]) };
  return { clock, waits };
}

async function known(store: Store) {
  return (await store.incidents.find('i1'))?.incident;
}

it('stores the events of the stream, and reads the note of a closed incident', async () => {
  const closed = incident({ status: 'closed' });
  const { store, feed, changes } = await follow(
    [(response) => stream(response, event(1, 'incident.opened', incident()), event(2, 'incident.closed', closed))],
    { ...closed, resolution_note: 'rolled back' },
  );

  await eventually(() => changes() === 2);

  expect(await known(store)).toMatchObject({ status: 'closed', resolution_note: 'rolled back' });
  expect(feed.isFollowing()).toBe(true);
});

it('reads who took an acknowledgement back', async () => {
  const taken = incident({ acknowledged_by: 'ana', acknowledged_at: OPENED_AT });
  const free = incident({ acknowledged_by: null, acknowledged_at: null });
  const entry = { event: 'unacknowledged', at: OPENED_AT, by: 'ben' };
  const { store } = await follow(
    [(response) => stream(response, event(1, 'incident.opened', taken), event(2, 'incident.updated', free))],
    { ...free, timeline: [entry] },
  );

  await eventually(async () => (await known(store))?.acknowledged_by === null);

  expect((await known(store))?.taken_back).toMatchObject(entry);
});

it('reads a new incident only if its event does not say how it was correlated', async () => {
  const correlation = {
    method: 'call-graph',
    confidence: 0.9,
    services: [],
    edges: [],
    window: { from: OPENED_AT, to: OPENED_AT },
    evidence: ['every failed call ends here'],
    candidates: [{ service: 'payments', score: 0.9, reasons: [] }],
  };
  const failing = incident({ activity: 'failing', last_seen_at: OPENED_AT });
  const whole = { ...failing, correlation, similar: [], previous_incident_id: 'i0' };
  const reads = ({ server }: Scene) => server.requests.filter((request) => request === 'GET /v1/incidents/i1').length;

  const told = await follow([(response) => stream(response, event(1, 'incident.opened', whole))], whole);
  const untold = await follow([(response) => stream(response, event(1, 'incident.opened', failing))], whole);
  await eventually(() => told.changes() + untold.changes() === 2);

  const all = { root_reason: 'every failed call ends here', previous_incident_id: 'i0', similar: [] };
  expect([await known(told.store), await known(untold.store)]).toMatchObject([all, all]);
  expect([reads(told), reads(untold)]).toEqual([0, 1]);
});

it('resumes after the last event when the stream breaks', async () => {
  const { askedFrom, store } = await follow([
    (response) => {
      stream(response, event(7, 'incident.opened', incident()));
      response.end();
    },
    (response) => stream(response, event(8, 'incident.updated', incident({ signal_count: 9 }))),
  ]);

  await eventually(async () => (await known(store))?.signal_count === 9);

  expect(askedFrom).toEqual([undefined, '7']);
});

it('starts over when the service no longer keeps the events after the last one', async () => {
  const { askedFrom } = await follow([
    (response) => {
      stream(response, event(7, 'incident.opened', incident()));
      response.end();
    },
    (response) => response.writeHead(410).end(),
    (response) => stream(response),
  ]);

  await eventually(() => askedFrom.length === 3);

  expect(askedFrom).toEqual([undefined, '7', undefined]);
});

it('retries a service that fails, and is not following meanwhile', async () => {
  const { askedFrom, feed } = await follow([
    (response) => response.writeHead(503).end(),
    (response) => response.destroy(),
    (response) => stream(response),
  ]);

  expect(feed.isFollowing()).toBe(false);
  await eventually(() => feed.isFollowing());

  expect(askedFrom).toHaveLength(3);
});

it('waits no longer than polling does when the service asks for a long pause', async () => {
  const { clock, waits } = createHastyClock();
  const { feed } = await follow(
    [(response) => response.writeHead(503, { 'retry-after': '86400' }).end(), (response) => stream(response)],
    {},
    clock,
  );

  await eventually(() => feed.isFollowing());

  expect(waits).toEqual([5 * 60_000]);
});

it('asks a service again soon that had a stream, whatever stands in for it meanwhile', async () => {
  const { clock, waits } = createHastyClock();
  const { askedFrom, feed } = await follow(
    [
      (response) => {
        stream(response, event(7, 'incident.opened', incident()));
        response.end();
      },
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back soon</h1>'),
      (response) => response.writeHead(404).end(),
      (response) => stream(response),
    ],
    {},
    clock,
  );

  await eventually(() => askedFrom.length === 4 && feed.isFollowing());

  expect(Math.max(...waits)).toBeLessThan(60_000);
});

it('backs off when a stream ends at once', async () => {
  const began = performance.now();
  const endAtOnce = (response: ServerResponse) => {
    stream(response);
    response.end();
  };
  const { askedFrom, feed } = await follow([endAtOnce, endAtOnce, (response) => stream(response)]);

  await eventually(() => askedFrom.length === 3 && feed.isFollowing());

  expect(performance.now() - began).toBeGreaterThan(500 + 1_000);
});

it('does not undo newer state that came another way', async () => {
  const opened = Promise.withResolvers<ServerResponse>();
  const { store, changes } = await follow([opened.resolve]);
  const acknowledgedAt = '2026-01-31T08:05:00.000Z';
  const newer = incident({ updated_at: acknowledgedAt, acknowledged_at: acknowledgedAt });
  await store.incidents.observe({ ...newer, status: 'open' }, { urgency: URGENCY.state, asOf: new Date(0) });

  const behind = incident({ updated_at: '2026-01-31T08:04:00.000Z', acknowledged_at: null });
  const next = { ...incident(), id: 'i2' };
  stream(await opened.promise, event(1, 'incident.updated', behind), event(2, 'incident.opened', next));
  await eventually(() => changes() === 1);

  expect(await known(store)).toMatchObject({ acknowledged_at: acknowledgedAt });
});

it('skips events that it cannot read', async () => {
  const { store, changes } = await follow([
    (response) =>
      stream(
        response,
        'id: 1\nevent: deploy.finished\ndata: {"service":"payments"}\n\n',
        'id: 2\ndata: not JSON\n\n',
        event(3, 'incident.opened', incident()),
      ),
  ]);

  await eventually(() => changes() === 1);

  expect(await known(store)).toMatchObject({ root_service: 'payments' });
});
