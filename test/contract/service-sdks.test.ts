import { Agent } from 'node:https';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { change, event } from '@pagerduty/pdjs';
import * as sentry from '@sentry/node';
import opsgenie from 'opsgenie-sdk';
import { expect, it } from 'vitest';
import { IntegrationList } from '../../src/contract/integrations.ts';
import { Incident } from '../../src/contract/resources.ts';
import { startListeningService, untilOver, untilSignals } from '../support/listening-service.ts';

/** Libraries of other products, with nothing but the address and the key changed. */

async function read(tocsin: Parameters<typeof untilOver>[0], id: string): Promise<Incident> {
  return Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
}

it('takes what opsgenie-sdk does with an alert, by its alias or by the id that the SDK is told', async () => {
  await using service = await startListeningService();
  const { tocsin } = service;
  const [, snippet] = await service.setUp('opsgenie');
  const [host = '', api_key = ''] = snippet?.text.split('\n') ?? [];
  opsgenie.configure({ host, api_key });
  const { alertV2: alerts } = opsgenie;
  const create = promisify(alerts.create);
  const alert = { message: 'Charges fail', alias: 'charges', entity: 'payments', priority: 'P1' };
  const byAlias = { identifier: 'charges', identifierType: 'alias' } as const;

  await create(alert, {});
  const { requestId } = await create(alert, {});
  const opened = await tocsin.openIncident();
  await promisify(alerts.acknowledge)(byAlias, { user: 'ana@shop.example' }, {});
  await promisify(alerts.addNote)(byAlias, { user: 'ana@shop.example', note: 'the card processor is away' }, {});
  const acknowledged = await read(tocsin, opened.id);
  const { data } = await promisify(alerts.getRequestStatus)(requestId, {});
  await promisify(alerts.close)({ identifier: data.alertId, identifierType: 'id' }, { user: 'ana@shop.example' }, {});
  const over = await untilOver(tocsin, opened.id);

  expect(opened).toMatchObject({
    root_service: 'payments',
    title: 'payments: Charges fail',
    severity: 'critical',
    signals: [{ summary: 'Charges fail', occurrences: 2 }],
  });
  expect(acknowledged.acknowledged_by).toBe('ana@shop.example');
  expect(acknowledged.timeline).toContainEqual(expect.objectContaining({ text: 'the card processor is away' }));
  expect(data).toMatchObject({ isSuccess: true, alertId: 'charges' });
  expect(over).toMatchObject({ status: 'open', signal_count: 1 });
});

/** pdjs only speaks TLS, which is the business of a proxy in front of us: this leaves it out. */
class AgentWithoutTls extends Agent {
  override createConnection({ host, port }: { readonly host: string; readonly port: number }) {
    return connect(port, host);
  }
}

it('takes what @pagerduty/pdjs sends', async () => {
  await using service = await startListeningService();
  const { tocsin } = service;
  const [snippet] = await service.setUp('pagerduty_events');
  const [url = '', routing_key = ''] = snippet?.text.split('\n').map((line) => line.split(/\s{2,}/).at(-1) ?? '') ?? [];
  const to = { agent: new AgentWithoutTls(), server: new URL(url).host };
  const payload = { summary: 'Charges fail', source: 'web-1', component: 'payments', severity: 'critical' } as const;
  const send = (event_action: 'trigger' | 'acknowledge' | 'resolve', dedup_key?: string) => {
    const named = dedup_key === undefined ? {} : { dedup_key };
    return event({ ...to, data: { routing_key, event_action, payload, ...named } });
  };

  const deployed = await change({
    ...to,
    data: { routing_key, event_action: 'trigger', payload: { ...payload, summary: '1.8.2', source: 'payments' } },
  });
  const first = await send('trigger');
  await send('trigger');
  const opened = await tocsin.openIncident();
  const { dedup_key } = first.data;
  await send('acknowledge', dedup_key);
  const acknowledged = await read(tocsin, opened.id);
  await send('resolve', dedup_key);
  const over = await untilOver(tocsin, opened.id);

  expect([deployed.status, first.status]).toEqual([202, 202]);
  expect(opened).toMatchObject({
    root_service: 'payments',
    title: 'payments: Charges fail',
    severity: 'critical',
    signals: [{ summary: 'Charges fail', occurrences: 2 }],
  });
  expect(acknowledged.acknowledged_by).toBe('real pagerduty_events');
  expect(over).toMatchObject({ status: 'open', signal_count: 1 });
});

it("tells what to do with the DSN of Sentry's SDK, in the answer and at the integration whose key it has", async () => {
  await using service = await startListeningService();
  const key = await service.integrate('sentry');
  const answered: unknown[] = [];
  const client = sentry.init({
    dsn: `${service.url.replace('http://', `http://${key}@`)}/1`,
    defaultIntegrations: false,
    transport: (options) => {
      const transport = sentry.makeNodeTransport(options);
      return {
        flush: (ms) => transport.flush(ms),
        send: async (envelope) => {
          answered.push(await transport.send(envelope));
          return {};
        },
      };
    },
  });

  sentry.captureException(new Error('card declined'));
  await sentry.close();

  const { integrations } = IntegrationList.parse(await (await service.tocsin.call('GET', '/integrations')).json());
  expect(client).toBeDefined();
  expect(answered).toMatchObject([{ statusCode: 415 }]);
  expect(integrations[0]?.last_error).toContain("leave the SDK's DSN as it was");
  expect(await untilSignals(service.tocsin, () => true)).toEqual([]);
});

it('tells what to do with a DSN that has no key of ours', async () => {
  await using service = await startListeningService();

  const response = await fetch(`${service.url}/api/1/envelope/?sentry_key=abc`, { method: 'POST', body: '{}' });

  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining('let Sentry send webhooks') });
});
