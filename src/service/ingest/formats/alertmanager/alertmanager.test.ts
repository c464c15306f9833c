import { expect, it } from 'vitest';
import { AlertmanagerNotification, readAlerts } from './alertmanager.ts';

/** As sent by Alertmanager 0.28, with fields that are not used. */
const NOTIFICATION = {
  version: '4',
  groupKey: '{}:{alertname="HighErrorRate"}',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'tocsin',
  groupLabels: { alertname: 'HighErrorRate' },
  commonLabels: { alertname: 'HighErrorRate' },
  commonAnnotations: {},
  externalURL: 'http://alertmanager:9093',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'HighErrorRate', service: 'payments', severity: 'page' },
      annotations: { summary: '5 % of charges fail' },
      startsAt: '2026-01-31T08:00:00.123456789Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'http://prometheus:9090/graph',
      fingerprint: '5ef77f1f8a3ecfdd',
    },
    {
      status: 'resolved',
      labels: { alertname: 'HighErrorRate', service: 'orders' },
      annotations: {},
      startsAt: '2026-01-31T07:00:00Z',
      endsAt: '2026-01-31T07:30:00Z',
      generatorURL: '',
      fingerprint: 'a3ecfdd5ef77f1f8',
    },
  ],
};

it('creates a signal from a firing alert, and ends the signal of a resolved one', () => {
  const { signals, ends } = readAlerts(AlertmanagerNotification.parse(NOTIFICATION));

  expect(signals).toMatchObject([
    {
      type: 'metric',
      service: 'payments',
      summary: 'HighErrorRate: 5 % of charges fail',
      severity: 'critical',
      observedAt: new Date('2026-01-31T08:00:00.123Z'),
      fingerprint: 'alert|5ef77f1f8a3ecfdd',
      source: { format: 'alertmanager', generator_url: 'http://prometheus:9090/graph' },
    },
  ]);
  expect(ends).toEqual([{ fingerprint: 'alert|a3ecfdd5ef77f1f8', endedAt: new Date('2026-01-31T07:30:00Z') }]);
});

/** Alertmanager 0.19 and before, and programs that imitate it. */
it('distinguishes alerts without a fingerprint by their labels', () => {
  const alerts = NOTIFICATION.alerts.map(({ fingerprint: _left, ...alert }) => alert);
  const { signals, ends } = readAlerts(AlertmanagerNotification.parse({ ...NOTIFICATION, alerts }));
  const resolved = [{ ...alerts[0], status: 'resolved', endsAt: '2026-01-31T08:30:00Z' }];
  const over = readAlerts(AlertmanagerNotification.parse({ ...NOTIFICATION, alerts: resolved }));

  expect(over.ends).toMatchObject([{ fingerprint: signals[0]?.fingerprint }]);
  expect(ends?.[0]?.fingerprint).not.toBe(signals[0]?.fingerprint);
});

it('loses no alert over annotations that are null or values that are no numbers', () => {
  const alerts = [{ ...NOTIFICATION.alerts[0], annotations: null, values: { B: 'NaN' } }];
  const { signals } = readAlerts(AlertmanagerNotification.parse({ ...NOTIFICATION, alerts }));

  expect(signals).toMatchObject([{ service: 'payments', summary: 'HighErrorRate' }]);
});

it('names the service by its labels, and says by which', () => {
  const serviceOf = (labels: Record<string, string>) =>
    readAlerts({
      version: '4',
      alerts: [
        {
          status: 'firing',
          labels,
          annotations: {},
          startsAt: '2026-01-31T08:00:00Z',
          endsAt: '0001-01-01T00:00:00Z',
          fingerprint: '1',
        },
      ],
    }).signals.map(({ service, source }) => [service, source.service_by])[0];

  expect(serviceOf({ job: 'web', app: 'shop' })).toEqual(['shop', 'label app']);
  expect(serviceOf({ job: 'web', namespace: 'prod' })).toEqual(['web', 'label job']);
  expect(serviceOf({ alertname: 'Watchdog' })).toEqual(['Watchdog', "the alert's name"]);
});

it.each(['2', '3', '5', 4, undefined])('refuses version %j, and says which are accepted', (version) => {
  const { error } = AlertmanagerNotification.safeParse({ ...NOTIFICATION, version });

  expect(error?.issues).toMatchObject([
    { path: ['version'], message: expect.stringMatching(/"4".*Alertmanager.*"1".*Grafana/) },
  ]);
});
