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

/** A service with Tocsin's additions: every list has pages of at most 100 with `offset` and `has_more`. */
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

describe('a service with additions to the API document', () => {
  it('is read over all pages of signals', async () => {
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

  it('gets the same filter with every page', async () => {
    await using ours = await startOurs();
    await using calls = clientOf(ours);

    await calls.client.listSignals({ service: 'cart', from: new Date('2026-11-21T10:00:00Z') });

    expect(ours.requests.slice(0, 2)).toEqual([
      'GET /v1/signals?service=cart&from=2026-11-21T10%3A00%3A00.000Z',
      'GET /v1/signals?service=cart&from=2026-11-21T10%3A00%3A00.000Z&limit=200&offset=50',
    ]);
  });
});

describe('a service that has returned a cursor', () => {
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

  it('is read by the cursor instead of an offset', async () => {
    expect(await walkOver({})).toEqual([
      'GET /v1/incidents?status=open&limit=1&offset=0',
      'GET /v1/incidents?status=open&limit=1&cursor=c1',
      'GET /v1/incidents?status=open&limit=1&cursor=c2',
    ]);
  });

  it('is read by offset if it has no other additions, because the field may mean something else', async () => {
    expect(await walkOver({ has_more: undefined })).toEqual([
      'GET /v1/incidents?status=open&limit=1&offset=0',
      'GET /v1/incidents?status=open&limit=1&offset=1',
      'GET /v1/incidents?status=open&limit=1&offset=2',
      'GET /v1/incidents?status=open&limit=1&offset=3',
    ]);
  });
});

describe('the user who resolves', () => {
  const request = { resolutionNote: 'rolled back', user: 'ana' };

  it.each([
    ['is sent after an incident has shown the additions', OURS, { resolution_note: 'rolled back', user: 'ana' }],
    ['is not sent without additions', INCIDENT, { resolution_note: 'rolled back' }],
    ['is not sent if the incident only has a number', { ...INCIDENT, number: 7 }, { resolution_note: 'rolled back' }],
  ])('%s', async (_, incident, body) => {
    await using ours = await startOurs(incident);
    await using calls = clientOf(ours);

    await calls.client.getIncident('inc_7');
    const resolved = await calls.client.resolveIncident('inc_7', request);

    expect(JSON.parse(ours.bodies.at(-1) ?? '')).toEqual(body);
    expect(resolved).toMatchObject({ ...incident, opened_at: '2026-11-21T10:00:00.000Z' });
  });

  it('is not sent before the first response', async () => {
    await using ours = await startOurs();
    await using calls = clientOf(ours);

    await calls.client.resolveIncident('inc_7', request);

    expect(JSON.parse(ours.bodies[0] ?? '')).toEqual({ resolution_note: 'rolled back' });
  });

  it('is sent after a list has shown the additions', async () => {
    await using ours = await startOurs(INCIDENT);
    await using calls = clientOf(ours);

    await calls.client.listSignals();
    await calls.client.resolveIncident('inc_7', request);

    expect(JSON.parse(ours.bodies.at(-1) ?? '')).toEqual({ resolution_note: 'rolled back', user: 'ana' });
  });
});

describe('mutes', () => {
  const mute = {
    id: 'mut_1',
    target: 'service',
    value: 'payments',
    until: '2026-11-21T12:00:00.000Z',
    created_by: 'ana',
    created_at: '2026-11-21T10:00:00.000Z',
  };
  const startMutes = (mutes: readonly object[]) =>
    startLoopback((response) => reply(200, JSON.stringify({ mutes }))(response));

  it('of a later version are read as far as they can be', async () => {
    const later = { ...mute, id: 'mut_2', target: 'team', repeat: 'fortnight', created_by_id: null };
    await using service = await startMutes([mute, later, { id: 'mut_3' }]);
    await using calls = clientOf(service);

    const mutes = await calls.client.listMutes();

    expect(mutes).toMatchObject([mute, { id: 'mut_2', target: 'team', value: 'payments' }]);
    expect(mutes[1]?.repeat).toBeUndefined();
  });

  it.each([
    ['an earlier version', mute, 'DELETE /v1/mutes/mut_1?user=ana'],
    ['this version', { ...mute, created_by_id: null }, 'DELETE /v1/mutes/mut_1?user=ana&user_id=slack%3AU1'],
  ])('are ended at %s by what it takes', async (_, known, expected) => {
    await using service = await startMutes([known]);
    await using calls = clientOf(service);

    await calls.client.listMutes();
    await calls.client.deleteMute('mut_1', { user: 'ana', user_id: 'slack:U1' });

    expect(service.requests.at(-1)).toBe(expected);
  });
});
