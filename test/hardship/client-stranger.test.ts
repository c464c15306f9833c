import { describe, expect, it } from 'vitest';
import { createServiceClient, type ServiceClient } from '../../src/client/service-client.ts';
import { Integration } from '../../src/contract/integrations.ts';
import { Incident, IncidentSummary, Signal } from '../../src/contract/resources.ts';
import { failure } from '../contract/client-fixture.ts';
import { startStrangerService } from '../support/stranger-service.ts';

async function startStranger(shape: 'plain' | 'odd') {
  const service = await startStrangerService({ shape });
  const client = createServiceClient({ baseUrl: service.baseUrl, apiKey: service.apiKey });
  return {
    service,
    client,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

async function idsOf(incidents: ReturnType<ServiceClient['incidents']>): Promise<string[]> {
  const ids: string[] = [];
  for await (const incident of incidents) {
    ids.push(incident.id);
  }
  return ids;
}

/** The stranger rejects everything that its document does not name, so these calls also show that nothing else is sent. */
describe.each(['plain', 'odd'] as const)('a service that follows only the API document (%s)', (shape) => {
  it('supports the life cycle of an incident', async () => {
    await using stranger = await startStranger(shape);
    const openedAt = new Date('2026-11-21T10:00:00.123Z');
    const id = stranger.service.openIncident({
      service: 'checkout',
      signals: [{ type: 'trace' }, { type: 'log', service: 'payments' }],
      openedAt,
    });

    const open = await stranger.client.listIncidents({ status: 'open' });
    const single = await stranger.client.getIncident(id);
    const acknowledged = await stranger.client.acknowledgeIncident(id, { user: 'ana' });
    const resolved = await stranger.client.resolveIncident(id, { resolutionNote: 'rolled\nback ✓', user: 'ana' });

    const summary = {
      id,
      status: 'open',
      signal_count: 2,
      root_service: 'checkout',
      opened_at: '2026-11-21T10:00:00.123Z',
    };
    expect(open).toMatchObject({ incidents: [summary], total: 1, hasMore: false });
    expect(IncidentSummary.parse(open.incidents[0])).toEqual(summary);
    expect(Incident.parse(single)).toMatchObject({
      ...summary,
      signals: [
        { type: 'trace', service: 'checkout' },
        { type: 'log', service: 'payments' },
      ],
    });
    expect([acknowledged, resolved]).toEqual([null, null]);
    expect(stranger.service.incident(id)).toMatchObject({
      status: 'closed',
      acknowledgedBy: 'ana',
      resolutionNote: 'rolled\nback ✓',
    });
    expect((await stranger.client.getIncident(id)).status).toBe('closed');
    expect((await stranger.client.listIncidents({ status: 'open' })).incidents).toEqual([]);
  });

  it('returns signals of one incident, filtered signals and single signals', async () => {
    await using stranger = await startStranger(shape);
    const id = stranger.service.openIncident({ service: 'checkout', signals: [{ type: 'metric' }] });
    const [alone = ''] = stranger.service.addSignals(null, [{ type: 'log', service: 'cart' }]);
    const hourAgo = new Date(Date.now() - 3_600_000);
    const inAnHour = new Date(Date.now() + 3_600_000);

    const ofIncident = await stranger.client.listIncidentSignals(id);
    const found = await stranger.client.listSignals({ service: 'cart', type: 'log', from: hourAgo, to: inAnHour });
    const before = await stranger.client.listSignals({ to: hourAgo });
    const one = await stranger.client.getSignal(ofIncident[0]?.id ?? '');

    expect(ofIncident.map((signal) => Signal.parse(signal))).toMatchObject([
      { type: 'metric', service: 'checkout', incident_id: id },
    ]);
    expect(found).toMatchObject([{ id: alone, type: 'log', service: 'cart' }]);
    expect(found[0]).not.toHaveProperty('incident_id');
    expect(before).toEqual([]);
    expect(one).toEqual(ofIncident[0]);
  });

  it('creates, lists and deletes integrations', async () => {
    await using stranger = await startStranger(shape);
    const request = { type: 'slack', name: 'Slack', config: { team_id: 'T1', app_id: 'A1' } } as const;

    const created = await stranger.client.createIntegration(request);
    const listed = await stranger.client.listIntegrations();
    await stranger.client.deleteIntegration(listed[0]?.id ?? '');

    expect(created).toBeNull();
    expect(listed.map((integration) => Integration.parse(integration))).toMatchObject([
      { id: expect.any(String), status: expect.any(String), type: 'slack' },
    ]);
    expect(stranger.service.requests.find(({ method }) => method === 'POST')?.body).toEqual(request);
    expect(await stranger.client.listIntegrations()).toEqual([]);
  });

  it('is read over all its pages', async () => {
    await using stranger = await startStranger(shape);
    const opened = Array.from({ length: 45 }, (_, index) =>
      stranger.service.openIncident({ service: 'cart', openedAt: new Date(1_795_255_200_000 + index) }),
    );
    stranger.service.closeIncident(opened[3] ?? '');

    const all = await idsOf(stranger.client.incidents());
    const open = await idsOf(stranger.client.incidents({ status: 'open', pageSize: 10 }));

    expect(all.toSorted()).toEqual(opened.toSorted());
    expect(open).toHaveLength(44);
  });

  it('reports its errors', async () => {
    await using stranger = await startStranger(shape);
    await using intruder = createServiceClient({ baseUrl: stranger.service.baseUrl, apiKey: 'wrong' });

    expect(await failure(stranger.client.getIncident('404'))).toMatchObject({
      status: 404,
      problem: { detail: 'no incident 404' },
    });
    expect(await failure(intruder.listIncidents())).toMatchObject({
      status: 401,
      problem: { detail: 'this API key is not known' },
    });
  });

  it('may have completed a write without a response, as its state shows', async () => {
    await using stranger = await startStranger(shape);
    const id = stranger.service.openIncident({ service: 'cart' });
    stranger.service.failNext('drop after', { method: 'POST' });

    const error = await failure(stranger.client.resolveIncident(id, { resolutionNote: 'restarted', user: 'ana' }));

    expect(error).toMatchObject({ name: 'ServiceUnreachableError', effect: 'unknown' });
    expect((await stranger.client.getIncident(id)).status).toBe('closed');
  });

  it('may go down and come back', async () => {
    await using stranger = await startStranger(shape);
    stranger.service.setAway(true);
    const error = await failure(stranger.client.listIncidents());
    stranger.service.setAway(false);

    expect(error).toMatchObject({ name: 'ServiceUnreachableError', retryable: true });
    expect((await stranger.client.listIncidents()).incidents).toEqual([]);
  });
});
