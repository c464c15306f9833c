import { expect, it } from 'vitest';
import { AlertmanagerNotification, readAlerts } from '../alertmanager/alertmanager.ts';

/** As in Grafana's reference of the webhook notifier (grafana.com/docs/grafana/latest/alerting, read 2026-11). */
const NOTIFICATION = {
  receiver: 'tocsin',
  status: 'firing',
  orgId: 1,
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'High memory usage', grafana_folder: 'Shop', team: 'blue', service_name: 'payments' },
      annotations: {
        description: 'The system has high memory usage',
        runbook_url: 'https://runbooks.example/1234',
        summary: 'This alert was triggered for zone us-1',
      },
      startsAt: '2026-01-31T09:51:03.157076+02:00',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'https://grafana.example/alerting/grafana/1afz29v7z/view?orgId=1',
      fingerprint: 'c6eadffa33fcdf37',
      silenceURL: 'https://grafana.example/alerting/silence/new?alertmanager=grafana&matcher=team%3Dblue',
      dashboardURL: 'https://grafana.example/d/shop',
      panelURL: 'https://grafana.example/d/shop?viewPanel=2',
      imageURL: 'https://images.example/1.png',
      values: { B: 44.23943737541908, C: 1, D: null },
      valueString: "[ var='B' labels={zone=us-1} value=44.23943737541908 ]",
    },
    {
      status: 'resolved',
      labels: { alertname: 'High CPU usage', team: 'blue' },
      annotations: {},
      startsAt: '2026-01-31T09:51:03Z',
      endsAt: '2026-01-31T09:56:03Z',
      generatorURL: '',
      fingerprint: 'd1d4e7bf4ab4dbf8',
      silenceURL: '',
      dashboardURL: '',
      panelURL: '',
      values: null,
      valueString: '',
    },
  ],
  groupLabels: {},
  commonLabels: { team: 'blue' },
  commonAnnotations: {},
  externalURL: 'https://grafana.example/',
  version: '1',
  groupKey: '{}:{}',
  truncatedAlerts: 0,
  title: '[FIRING:1, RESOLVED:1]  (blue)',
  state: 'alerting',
  message: '**Firing**',
};

it('keeps what a contact point of Grafana says', () => {
  const { signals, ends } = readAlerts(AlertmanagerNotification.parse(NOTIFICATION));

  expect(signals).toMatchObject([
    {
      service: 'payments',
      summary: 'High memory usage: This alert was triggered for zone us-1',
      attributes: {
        team: 'blue',
        grafana_folder: 'Shop',
        values: { B: 44.23943737541908, C: 1, D: null },
        silence_url: 'https://grafana.example/alerting/silence/new?alertmanager=grafana&matcher=team%3Dblue',
        image_url: 'https://images.example/1.png',
      },
      links: [
        { kind: 'runbook', url: 'https://runbooks.example/1234' },
        { kind: 'dashboard', url: 'https://grafana.example/d/shop?viewPanel=2' },
        { kind: 'dashboard', url: 'https://grafana.example/d/shop' },
        { kind: 'generator', url: 'https://grafana.example/alerting/grafana/1afz29v7z/view?orgId=1' },
      ],
      source: { format: 'grafana', service_by: 'label service_name' },
    },
  ]);
  expect(ends).toEqual([{ fingerprint: 'alert|d1d4e7bf4ab4dbf8', endedAt: new Date('2026-01-31T09:56:03Z') }]);
});

it('names the rule that has no data', () => {
  const [alert] = NOTIFICATION.alerts;
  const labels = { alertname: 'DatasourceNoData', rulename: 'High memory usage', datasource_uid: 'P1' };

  const { signals } = readAlerts(
    AlertmanagerNotification.parse({ ...NOTIFICATION, alerts: [{ ...alert, labels, annotations: {} }] }),
  );

  expect(signals).toMatchObject([
    { summary: 'DatasourceNoData High memory usage', service: 'DatasourceNoData High memory usage' },
  ]);
});
