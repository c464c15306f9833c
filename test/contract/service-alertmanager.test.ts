import { expect, it } from 'vitest';
import { startTestService } from '../support/test-service.ts';

function notification(status: 'firing' | 'resolved') {
  return {
    version: '4',
    receiver: 'tocsin',
    alerts: [
      {
        status,
        labels: { alertname: 'HighErrorRate', service: 'payments', severity: 'warning' },
        annotations: { summary: '5 % of charges fail' },
        startsAt: new Date().toISOString(),
        endsAt: '0001-01-01T00:00:00Z',
        generatorURL: 'http://prometheus:9090/graph',
        fingerprint: '5ef77f1f8a3ecfdd',
      },
    ],
  };
}

it('opens an incident for an alert, however often Alertmanager repeats it', async () => {
  await using tocsin = await startTestService();
  const send = () => tocsin.call('POST', '/alertmanager', { body: notification('firing') });

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

it('refuses what is no notification, and a key that may only read', async () => {
  await using tocsin = await startTestService();

  const malformed = await tocsin.call('POST', '/alertmanager', { body: { version: '3', alerts: [] } });
  const readOnly = await tocsin.call('POST', '/alertmanager', {
    body: notification('firing'),
    key: tocsin.readOnlyKey,
  });

  expect(malformed.status).toBe(422);
  expect(await malformed.json()).toMatchObject({ code: 'invalid-body', errors: [{ pointer: '/version' }] });
  expect(readOnly.status).toBe(403);
});
