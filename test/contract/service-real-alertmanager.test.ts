import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { subMinutes } from 'date-fns/subMinutes';
import { describe, expect, it } from 'vitest';
import { Integration } from '../../src/contract/integrations.ts';
import type { Incident } from '../../src/contract/resources.ts';
import { type Alertmanager, hasAlertmanager, startAlertmanager } from '../support/alertmanager.ts';
import { untilOver } from '../support/listening-service.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const timeout = 60_000;

/** Our service on a real port, and a real Alertmanager with the receiver of the test. */
async function withAlertmanager(
  type: Integration['type'],
  receiver: (url: string, key: string) => object,
  run: (tocsin: TestService, alertmanager: Alertmanager) => Promise<void>,
): Promise<void> {
  await using tocsin = await startTestService();
  const server = createAdaptorServer({ fetch: (request) => tocsin.service.fetch(request) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const created = await tocsin.call('POST', '/integrations', { body: { type, name: 'real' } });
    const { ingest_url = '', ingest_key = '' } = Integration.parse(await created.json());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(ingest_url).pathname}`;
    await using alertmanager = await startAlertmanager({
      route: {
        receiver: 'tocsin',
        group_by: ['alertname'],
        group_wait: '0s',
        group_interval: '1s',
        repeat_interval: '1h',
      },
      receivers: [{ name: 'tocsin', ...receiver(url, ingest_key) }],
    });
    await run(tocsin, alertmanager);
  } finally {
    server.close();
  }
}

function alert(endsAt?: Date) {
  return {
    labels: { alertname: 'HighErrorRate', service: 'payments', severity: 'critical' },
    annotations: { summary: '5 % of charges fail' },
    startsAt: subMinutes(new Date(), 1).toISOString(),
    generatorURL: 'http://prometheus.example/graph',
    ...(endsAt && { endsAt: endsAt.toISOString() }),
  };
}

/** The incident after the alert fires, and after it is resolved. */
async function seeFireAndEnd(tocsin: TestService, alertmanager: Alertmanager): Promise<[Incident, Incident]> {
  await alertmanager.post([alert()]);
  const fired = await tocsin.openIncident();
  await alertmanager.post([alert(new Date())]);
  return [fired, await untilOver(tocsin, fired.id)];
}

describe.skipIf(!hasAlertmanager)('the real Alertmanager (runs where prometheus-alertmanager is installed)', () => {
  it('opens an incident through its webhook, and ends the signal when the alert is resolved', { timeout }, () =>
    withAlertmanager(
      'alertmanager',
      (url, credentials) => ({ webhook_configs: [{ url, http_config: { authorization: { credentials } } }] }),
      async (tocsin, alertmanager) => {
        const [fired, over] = await seeFireAndEnd(tocsin, alertmanager);

        expect(fired).toMatchObject({
          root_service: 'payments',
          severity: 'critical',
          signals: [
            { summary: 'HighErrorRate: 5 % of charges fail', ended_at: null, source: { format: 'alertmanager' } },
          ],
        });
        expect(over).toMatchObject({ status: 'open', signal_count: 1, signals: [{ ended_at: expect.any(String) }] });
      },
    ),
  );

  it('can send PagerDuty events too', { timeout }, () =>
    withAlertmanager(
      'pagerduty_events',
      (url, routing_key) => ({
        pagerduty_configs: [
          { url, routing_key, component: '{{ .CommonLabels.service }}', severity: '{{ .CommonLabels.severity }}' },
        ],
      }),
      async (tocsin, alertmanager) => {
        const [fired, over] = await seeFireAndEnd(tocsin, alertmanager);

        expect(fired).toMatchObject({
          root_service: 'payments',
          severity: 'critical',
          signals: [{ source: { format: 'pagerduty_events', client: 'Alertmanager' } }],
        });
        expect(over).toMatchObject({ status: 'open', signal_count: 1, signals: [{ ended_at: expect.any(String) }] });
      },
    ),
  );

  it('can send PagerDuty events with nothing but a key', { timeout }, () =>
    withAlertmanager(
      'pagerduty_events',
      (url, routing_key) => ({ pagerduty_configs: [{ url, routing_key }] }),
      async (tocsin, alertmanager) => {
        const [fired, over] = await seeFireAndEnd(tocsin, alertmanager);

        expect(fired).toMatchObject({
          root_service: 'payments',
          severity: 'critical',
          signals: [{ source: { format: 'pagerduty_events', service_by: 'label service' } }],
        });
        expect(over).toMatchObject({ signal_count: 1, signals: [{ ended_at: expect.any(String) }] });
      },
    ),
  );

  it('can send Opsgenie alerts with nothing but a key', { timeout }, () =>
    withAlertmanager(
      'opsgenie',
      (url, api_key) => ({ opsgenie_configs: [{ api_url: new URL('/', url).href, api_key }] }),
      async (tocsin, alertmanager) => {
        const [fired, over] = await seeFireAndEnd(tocsin, alertmanager);

        expect(fired).toMatchObject({
          root_service: 'payments',
          severity: 'critical',
          signals: [
            {
              summary: 'HighErrorRate (payments critical)',
              source: { format: 'opsgenie', service_by: 'label service' },
            },
          ],
        });
        expect(over).toMatchObject({ status: 'open', signal_count: 1, signals: [{ ended_at: expect.any(String) }] });
      },
    ),
  );

  it('can send to the address of OnCall', { timeout }, () =>
    withAlertmanager(
      'oncall',
      (url, key) => ({ webhook_configs: [{ url: `${url}/alertmanager/${key}/` }] }),
      async (tocsin, alertmanager) => {
        const [fired, over] = await seeFireAndEnd(tocsin, alertmanager);

        expect(fired).toMatchObject({ root_service: 'payments', severity: 'critical', signal_count: 1 });
        expect(over).toMatchObject({ signals: [{ ended_at: expect.any(String) }] });
      },
    ),
  );
});
