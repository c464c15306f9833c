import { addMinutes } from 'date-fns/addMinutes';
import { expect, it, vi } from 'vitest';
import { SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { alertNotification } from '../support/alert-notification.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

it('opens one incident for an alert, however often Alertmanager repeats it', async () => {
  await using tocsin = await startTestService();
  const send = () => tocsin.call('POST', '/alertmanager', { body: alertNotification() });

  const statuses = [(await send()).status, (await send()).status];
  const incident = await tocsin.openIncident();

  expect(statuses).toEqual([200, 200]);
  expect(incident).toMatchObject({
    root_service: 'payments',
    severity: 'warning',
    signal_count: 1,
    signals_by_type: { metric: 1 },
    signals: [{ type: 'metric', summary: 'HighErrorRate: 5 % of charges fail', occurrences: 2 }],
  });
  expect(incident.signals?.[0]).not.toHaveProperty('value');
});

/** Waits until the incident is explained again. */
function explained(tocsin: TestService, id: string, is: (incident: Incident) => boolean): Promise<Incident> {
  tocsin.advance(2_000);
  return vi.waitUntil(
    async () => {
      const incident = Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
      return is(incident) ? incident : null;
    },
    { timeout: HANG_MS },
  );
}

const isOver = ({ signals_ended_at: endedAt }: Incident) => endedAt !== null;

it('ends the signal of a resolved alert, and leaves the incident open', async () => {
  await using tocsin = await startTestService();
  const startedAt = new Date();
  const endedAt = addMinutes(startedAt, 1);
  await tocsin.call('POST', '/alertmanager', { body: alertNotification(startedAt) });
  const fired = await tocsin.openIncident();

  const resolved = await tocsin.call('POST', '/alertmanager', { body: alertNotification(startedAt, endedAt) });
  const over = await explained(tocsin, fired.id, isOver);

  const ended = endedAt.toISOString();
  expect(fired).toMatchObject({ signals_ended_at: null, signals: [{ ended_at: null }] });
  expect(resolved.status).toBe(200);
  expect(over).toMatchObject({
    status: 'open',
    signal_count: 1,
    signals_ended_at: ended,
    signals: [{ ended_at: ended }],
  });
});

it('drops the end when the alert fires again, not when an old notification arrives late', async () => {
  await using tocsin = await startTestService();
  const startedAt = new Date();
  const endedAt = addMinutes(startedAt, 1);
  await tocsin.call('POST', '/alertmanager', { body: alertNotification(startedAt) });
  const { id } = await tocsin.openIncident();
  await tocsin.call('POST', '/alertmanager', { body: alertNotification(startedAt, endedAt) });

  await tocsin.call('POST', '/alertmanager', { body: alertNotification(startedAt) });
  const stillOver = await explained(tocsin, id, isOver);
  await tocsin.call('POST', '/alertmanager', { body: alertNotification(addMinutes(startedAt, 2)) });
  const anew = await explained(tocsin, id, (incident) => !isOver(incident));
  await tocsin.call('POST', '/alertmanager', { body: alertNotification(startedAt, endedAt) });
  const goesOn = Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());

  expect(stillOver.signals).toMatchObject([{ occurrences: 2, ended_at: endedAt.toISOString() }]);
  expect(anew.signals).toMatchObject([{ occurrences: 3, ended_at: null }]);
  expect(goesOn.signals).toMatchObject([{ ended_at: null }]);
});

it('ends a waiting signal, and ignores the end of an unknown one', async () => {
  await using tocsin = await startTestService();
  const startedAt = new Date();
  const endedAt = addMinutes(startedAt, 1);
  const send = (ended: Date | null) =>
    tocsin.call('POST', '/alertmanager', { body: alertNotification(startedAt, ended, { severity: 'info' }) });
  const unknown = await send(endedAt);
  await send(null); // severity info opens no incident
  await send(endedAt);

  await tocsin.failIn(['payments']);
  const incident = await tocsin.openIncident();
  const { signals } = SignalList.parse(await (await tocsin.call('GET', '/signals?type=metric')).json());

  expect(unknown.status).toBe(200);
  expect(incident.signals_ended_at).toBeNull(); // traces report no end
  expect(signals).toMatchObject([{ occurrences: 1, ended_at: endedAt.toISOString() }]);
  expect(signals[0]).not.toHaveProperty('incident_id');
});

it('refuses an invalid notification, and a read-only key', async () => {
  await using tocsin = await startTestService();

  const malformed = await tocsin.call('POST', '/alertmanager', { body: { version: '3', alerts: [] } });
  const readOnly = await tocsin.call('POST', '/alertmanager', {
    body: alertNotification(),
    key: tocsin.readOnlyKey,
  });

  expect(malformed.status).toBe(422);
  expect(await malformed.json()).toMatchObject({ code: 'invalid-body', errors: [{ pointer: '/version' }] });
  expect(readOnly.status).toBe(403);
});
