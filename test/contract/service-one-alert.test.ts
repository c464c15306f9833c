import { addMinutes } from 'date-fns/addMinutes';
import { describe, expect, it, vi } from 'vitest';
import { Integration } from '../../src/contract/integrations.ts';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { datadogEvent } from '../../src/service/ingest/formats/datadog/datadog.samples.ts';
import { alertNotification } from '../support/alert-notification.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const MINUTE = 60_000;

async function read(tocsin: TestService, reference: string | number): Promise<Incident> {
  return Incident.parse(await (await tocsin.call('GET', `/incidents/${reference}`)).json());
}

async function listAll(tocsin: TestService) {
  const { incidents } = IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json());
  return incidents.toReversed();
}

/** Waits for the incident while time passes. */
function become(tocsin: TestService, id: string, is: (incident: Incident) => boolean): Promise<Incident> {
  return vi.waitUntil(
    async () => {
      tocsin.advance(2_000);
      const incident = await read(tocsin, id);
      return is(incident) ? incident : null;
    },
    { timeout: HANG_MS },
  );
}

const isFailing = ({ activity }: Incident) => activity === 'failing';
const isQuiet = ({ activity }: Incident) => activity !== 'failing';

const backup = { service: 'backup', summary: 'the nightly backup failed', dedup_key: 'nightly' };

async function openFor(tocsin: TestService, body: object = backup): Promise<Incident> {
  await tocsin.call('POST', '/generic', { body });
  return tocsin.openIncident();
}

describe('the same key again', () => {
  it('after seven minutes is the same incident, counted and in its timeline', async () => {
    await using tocsin = await startTestService();
    const { id } = await openFor(tocsin);

    for (const times of [1, 2]) {
      await become(tocsin, id, isQuiet);
      tocsin.advance(7 * MINUTE);
      await tocsin.call('POST', '/generic', { body: backup });
      await become(tocsin, id, ({ recurrences }) => recurrences === times);
    }

    const incidents = await listAll(tocsin);
    const incident = await read(tocsin, id);
    expect(incidents).toHaveLength(1);
    expect(incident).toMatchObject({ activity: 'failing', recurrences: 2, signal_count: 1 });
    expect(incident.signals).toMatchObject([{ occurrences: 3 }]);
    expect(incident.timeline?.map(({ event, text }) => [event, text])).toEqual([
      ['opened', undefined],
      ['recurred', '2 times so far'],
      ['recurred', '3 times so far'],
    ]);
  });

  it('is the same incident after hours, also when it was acknowledged', async () => {
    await using tocsin = await startTestService();
    const { id } = await openFor(tocsin);
    await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ana' } });
    await become(tocsin, id, isQuiet);

    tocsin.advance(5 * 60 * MINUTE); // correlation forgets it
    await tocsin.call('POST', '/generic', { body: backup });
    const again = await become(tocsin, id, isFailing);

    expect(await listAll(tocsin)).toHaveLength(1);
    expect(again).toMatchObject({ acknowledged_by: 'ana', recurrences: 1, root_service: 'backup' });
  });

  it('after it was closed is a new incident that continues it', async () => {
    await using tocsin = await startTestService();
    const first = await openFor(tocsin);
    await become(tocsin, first.id, isQuiet);
    await tocsin.call('POST', `/incidents/${first.id}/resolve`, { body: { resolution_note: 'freed the disk' } });

    tocsin.advance(3 * MINUTE);
    const second = await openFor(tocsin);
    await become(tocsin, second.id, isQuiet);
    await tocsin.call('POST', `/incidents/${second.id}/resolve`, { body: { resolution_note: 'freed it again' } });
    tocsin.advance(24 * 60 * MINUTE);
    const third = await openFor(tocsin);

    expect([first, second, third].map(({ number, previous_incident_id: previous }) => [number, previous])).toEqual([
      [1, null],
      [2, first.id],
      [3, second.id],
    ]);
    expect(second.similar).toMatchObject([{ number: 1, resolution_note: 'freed the disk' }]);
  });
});

it('returns to its incident when Alertmanager fires, resolves and fires again', async () => {
  await using tocsin = await startTestService();
  const startedAt = new Date();
  const send = (...given: Parameters<typeof alertNotification>) =>
    tocsin.call('POST', '/alertmanager', { body: alertNotification(...given) });
  await send(startedAt);
  const { id } = await tocsin.openIncident();
  tocsin.advance(2 * MINUTE);
  await send(startedAt, addMinutes(startedAt, 2));
  await become(tocsin, id, ({ activity }) => activity === 'recovered');

  tocsin.advance(6 * MINUTE);
  await send(addMinutes(startedAt, 8));
  const again = await become(tocsin, id, isFailing);

  expect(await listAll(tocsin)).toHaveLength(1);
  expect(again).toMatchObject({
    recurrences: 1,
    signals_ended_at: null,
    signals: [{ occurrences: 2, ended_at: null }],
  });
});

it('opens an incident for an alert that began hours ago', async () => {
  await using tocsin = await startTestService();
  const startedAt = addMinutes(tocsin.now(), -300);

  await tocsin.call('POST', '/alertmanager', { body: alertNotification(startedAt) });
  const incident = await tocsin.openIncident();

  expect(incident).toMatchObject({ activity: 'failing', signals: [{ observed_at: startedAt.toISOString() }] });
  expect(Date.parse(incident.last_seen_at ?? '')).toBeGreaterThanOrEqual(Date.parse(incident.opened_at));
});

it('reports no recurrence while an alert continues to fire', async () => {
  await using tocsin = await startTestService();
  const startedAt = new Date();
  const send = () => tocsin.call('POST', '/alertmanager', { body: alertNotification(startedAt) });
  await send();
  const { id } = await tocsin.openIncident();

  tocsin.advance(4 * 60 * MINUTE);
  await send();
  const later = await become(tocsin, id, ({ signals }) => signals?.[0]?.occurrences === 2);

  expect(later).toMatchObject({ activity: 'failing', recurrences: 0 });
});

async function createSender(tocsin: TestService, name: string): Promise<string> {
  const response = await tocsin.call('POST', '/integrations', { body: { type: 'alertmanager', name } });
  return Integration.parse(await response.json()).ingest_key ?? '';
}

it('ends an alert only by the integration that sent it, also through a replica with the same key', async () => {
  await using tocsin = await startTestService();
  const [one, other] = [await createSender(tocsin, 'one'), await createSender(tocsin, 'other')];
  const startedAt = new Date();
  const send = (key: string, endedAt: Date | null) =>
    tocsin.call('POST', '/alertmanager', { key, body: alertNotification(startedAt, endedAt) });
  await send(one, null);
  await send(one, null);
  const { id } = await tocsin.openIncident();

  await send(other, addMinutes(startedAt, 1));
  tocsin.advance(30_000);
  await tocsin.call('POST', '/generic', { body: backup }); // correlated after the foreign end
  await vi.waitUntil(async () => (await listAll(tocsin)).length === 2, { timeout: HANG_MS });
  const afterForeign = await read(tocsin, id);
  await send(one, addMinutes(startedAt, 1));
  const afterOwn = await become(tocsin, id, ({ activity }) => activity === 'recovered');

  expect(afterForeign).toMatchObject({ activity: 'failing', signals_ended_at: null, signal_count: 1 });
  expect(afterOwn.signals_ended_at).not.toBeNull();
});

it('fails again after it ended, though the clock of its sender is behind', async () => {
  await using tocsin = await startTestService();
  const created = await tocsin.call('POST', '/integrations', {
    body: { type: 'datadog', name: 'datadog', config: {} },
  });
  const { ingest_key: key = '' } = Integration.parse(await created.json());
  const send = (transition: string) => {
    const behind = tocsin.now().getTime() - 30_000;
    return tocsin.call('POST', '/datadog', { key, body: { ...datadogEvent(transition), date: String(behind) } });
  };
  await send('Triggered');
  const { id } = await tocsin.openIncident();
  await send('Recovered');
  await become(tocsin, id, ({ activity }) => activity === 'recovered');

  await send('Triggered');
  const again = await become(tocsin, id, isFailing);

  expect(again.signals_ended_at).toBeNull();
  expect(again.signals).toMatchObject([{ ended_at: null, occurrences: 2 }]);
});

it('never reports an incident as last seen before it opened, even after a long silence', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['web']);
  await tocsin.openIncident();
  tocsin.advance(14 * MINUTE);

  await tocsin.call('POST', '/generic', { body: backup });
  await vi.waitUntil(async () => (await listAll(tocsin)).length === 2, { timeout: HANG_MS });
  const opened = (await listAll(tocsin)).at(-1);
  const quiet = await become(tocsin, opened?.id ?? '', isQuiet);

  const openedAt = Date.parse(quiet.opened_at);
  expect(Date.parse(quiet.last_seen_at ?? '')).toBeGreaterThanOrEqual(openedAt);
  expect(Date.parse(quiet.activity_since ?? '')).toBeGreaterThanOrEqual(openedAt);
});

it('puts the alerts of a node that is down into its incident, by a rule of the integration', async () => {
  await using tocsin = await startTestService();
  const inhibit = [{ source: { alertname: 'NodeDown' }, equal: ['node'] }];
  const response = await tocsin.call('POST', '/integrations', {
    body: { type: 'alertmanager', name: 'cluster', config: { inhibit } },
  });
  const { ingest_key: key = '', config } = Integration.parse(await response.json());
  const alert = (alertname: string, service: string, node: string) => {
    const { alerts } = alertNotification(tocsin.now(), null, { alertname, service, node });
    return alerts.map((each) => ({ ...each, fingerprint: `${alertname} ${service}` }));
  };
  const send = (alerts: object[]) => tocsin.call('POST', '/alertmanager', { key, body: { version: '4', alerts } });

  await send([...alert('PodDown', 'payments', 'a'), ...alert('NodeDown', 'node-a', 'a')]);
  await tocsin.openIncident();
  await send([...alert('PodDown', 'orders', 'a'), ...alert('PodDown', 'stock', 'b')]);
  await vi.waitUntil(async () => (await listAll(tocsin)).length === 2, { timeout: HANG_MS });
  const [node, other] = await listAll(tocsin);

  expect(config).toEqual({ inhibit: [{ ...inhibit[0], target: {} }] });
  expect([node?.root_service, other?.root_service]).toEqual(['node-a', 'stock']);
  expect(node?.services?.toSorted()).toEqual(['node-a', 'orders', 'payments']);
});
