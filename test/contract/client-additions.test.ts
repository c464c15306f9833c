import { describe, expect, it } from 'vitest';
import { startLoopback } from '../support/loopback.ts';
import { clientOf, reply } from './client-fixture.ts';

const INCIDENT = {
  id: 'inc_7',
  status: 'open',
  signal_count: 250,
  root_service: 'cart',
  opened_at: '2026-11-21T10:00:00Z',
};
const OURS = { ...INCIDENT, number: 7, signals_by_type: { trace: 250, metric: 0, log: 0 } };

/** Answers as a service with our additions does: every list in pages of at most 100 with `offset` and `has_more`. */
function startOurs(incident: object = OURS) {
  const signals = Array.from({ length: 250 }, (_, index) => ({ id: `sig_${index}`, type: 'trace', service: 'cart' }));
  return startLoopback((response, request) => {
    const url = new URL(request.url ?? '', 'http://ours');
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const limit = Math.min(Number(url.searchParams.get('limit') ?? 50), 100);
    const page = { total: 250, limit, offset, has_more: offset + limit < 250 };
    const answer = url.pathname.endsWith('/signals')
      ? { signals: signals.slice(offset, offset + limit), ...page }
      : incident;
    reply(200, JSON.stringify(answer))(response);
  });
}

describe('a service that shows it knows more than the document', () => {
  it('is asked for all pages of signals', async () => {
    await using ours = await startOurs();
    await using calls = clientOf(ours);

    const signals = await calls.client.listIncidentSignals('inc_7');

    expect(signals.map(({ id }) => id)).toEqual(Array.from({ length: 250 }, (_, index) => `sig_${index}`));
    expect(ours.requests).toEqual([
      'GET /v1/incidents/inc_7/signals',
      'GET /v1/incidents/inc_7/signals?limit=200&offset=50',
      'GET /v1/incidents/inc_7/signals?limit=200&offset=150',
    ]);
  });

  it('keeps the filter while it is asked for further pages', async () => {
    await using ours = await startOurs();
    await using calls = clientOf(ours);

    await calls.client.listSignals({ service: 'cart', from: new Date('2026-11-21T10:00:00Z') });

    expect(ours.requests.slice(0, 2)).toEqual([
      'GET /v1/signals?service=cart&from=2026-11-21T10%3A00%3A00.000Z',
      'GET /v1/signals?service=cart&from=2026-11-21T10%3A00%3A00.000Z&limit=200&offset=50',
    ]);
  });
});

describe('a service that has shown a cursor', () => {
  const page = { total: 3, limit: 1, offset: 0, has_more: true };
  const incidents = [1, 2, 3].map((number) => ({ ...OURS, id: `inc_${number}`, number }));

  async function walkOver(marks: object) {
    await using service = await startLoopback((response, request) => {
      const query = new URL(request.url ?? '', 'http://ours').searchParams;
      const index = Number(query.get('cursor')?.slice(1) ?? query.get('offset'));
      const isLast = index >= 2;
      const next = { has_more: !isLast, next_cursor: isLast ? null : `c${index + 1}` };
      reply(
        200,
        JSON.stringify({ incidents: incidents.slice(index, index + 1), ...page, ...next, ...marks }),
      )(response);
    });
    await using calls = clientOf(service);
    const ids: string[] = [];
    for await (const { id } of calls.client.incidents({ status: 'open', pageSize: 1 })) {
      ids.push(id);
    }
    expect(ids).toEqual(['inc_1', 'inc_2', 'inc_3']);
    return service.requests;
  }

  it('is asked for what follows by that cursor, and no longer by an offset', async () => {
    expect(await walkOver({})).toEqual([
      'GET /v1/incidents?status=open&limit=1&offset=0',
      'GET /v1/incidents?status=open&limit=1&cursor=c1',
      'GET /v1/incidents?status=open&limit=1&cursor=c2',
    ]);
  });

  it('is asked by offset when it shows nothing else of ours: the name may mean something else there', async () => {
    expect(await walkOver({ has_more: undefined })).toEqual([
      'GET /v1/incidents?status=open&limit=1&offset=0',
      'GET /v1/incidents?status=open&limit=1&offset=1',
      'GET /v1/incidents?status=open&limit=1&offset=2',
      'GET /v1/incidents?status=open&limit=1&offset=3',
    ]);
  });
});

describe('who resolves', () => {
  const request = { resolutionNote: 'rolled back', user: 'ana' };

  it.each([
    ['is told once an incident has shown it', OURS, { resolution_note: 'rolled back', user: 'ana' }],
    ['is not told while nothing has', INCIDENT, { resolution_note: 'rolled back' }],
    ['is not told for a number alone', { ...INCIDENT, number: 7 }, { resolution_note: 'rolled back' }],
  ])('%s', async (_, incident, body) => {
    await using ours = await startOurs(incident);
    await using calls = clientOf(ours);

    await calls.client.getIncident('inc_7');
    const resolved = await calls.client.resolveIncident('inc_7', request);

    expect(JSON.parse(ours.bodies.at(-1) ?? '')).toEqual(body);
    expect(resolved).toMatchObject({ ...incident, opened_at: '2026-11-21T10:00:00.000Z' });
  });

  it('is not told to a service that was asked nothing yet', async () => {
    await using ours = await startOurs();
    await using calls = clientOf(ours);

    await calls.client.resolveIncident('inc_7', request);

    expect(JSON.parse(ours.bodies[0] ?? '')).toEqual({ resolution_note: 'rolled back' });
  });

  it('is told once a list has shown it', async () => {
    await using ours = await startOurs(INCIDENT);
    await using calls = clientOf(ours);

    await calls.client.listSignals();
    await calls.client.resolveIncident('inc_7', request);

    expect(JSON.parse(ours.bodies.at(-1) ?? '')).toEqual({ resolution_note: 'rolled back', user: 'ana' });
  });
});
