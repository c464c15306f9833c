import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Integration, IntegrationList } from '../../src/contract/integrations.ts';
import { SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;

beforeEach(async () => {
  tocsin = await startTestService();
  return () => tocsin[Symbol.asyncDispose]();
});

async function makeIngestKey(type: string): Promise<string> {
  const created = await tocsin.call('POST', '/integrations', { body: { type, name: 'test' } });
  return Integration.parse(await created.json()).ingest_key ?? '';
}

async function lastError(): Promise<string | null | undefined> {
  const answer = await tocsin.call('GET', '/integrations');
  return IntegrationList.parse(await answer.json()).integrations[0]?.last_error;
}

async function listSignals() {
  return SignalList.parse(await (await tocsin.call('GET', '/signals')).json()).signals;
}

describe('POST /v2/enqueue', () => {
  let routing_key: string;
  beforeEach(async () => {
    routing_key = await makeIngestKey('pagerduty_events');
  });

  const payload = { summary: 'replication lags', source: 'db-1', severity: 'critical', component: 'postgres' };
  const send = (body: unknown) =>
    tocsin.service.fetch(
      new Request(`${PUBLIC_URL}/v2/enqueue`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );

  it('opens an incident on trigger, acknowledges it, and ends its signal on resolve with the key of the response', async () => {
    const triggered = await send({ routing_key, event_action: 'trigger', payload });
    const answer = Object(await triggered.json());
    const incident = await tocsin.openIncident();

    const acknowledged = await send({ routing_key, event_action: 'acknowledge', dedup_key: answer.dedup_key });
    const resolved = await send({ routing_key, event_action: 'resolve', dedup_key: answer.dedup_key });
    const over = Incident.parse(await (await tocsin.call('GET', `/incidents/${incident.id}`)).json());

    expect(triggered.status).toBe(202);
    expect(answer).toEqual({ status: 'success', message: 'Event processed', dedup_key: expect.any(String) });
    expect(incident).toMatchObject({ root_service: 'postgres', severity: 'critical', acknowledged_at: null });
    expect(acknowledged.status).toBe(202);
    expect(Object(await acknowledged.json()).message).toBe('Event processed');
    expect(resolved.status).toBe(202);
    expect(over).toMatchObject({
      status: 'open',
      acknowledged_by: 'test',
      signals: [{ ended_at: expect.any(String) }],
    });
  });

  it.each([
    ['no key', { event_action: 'trigger', payload }, 400, 'routing_key: '],
    [
      'an unknown key',
      { routing_key: 'x'.repeat(32), event_action: 'trigger', payload },
      400,
      'this API key is unknown',
    ],
    ['an invalid event', '[]', 400, 'the event: '],
    ['invalid JSON', '{', 400, 'the body is not valid JSON'],
    ['too much', `{"routing_key":"${'x'.repeat(524_288)}"}`, 413, 'at most 524288 bytes'],
  ])('refuses %s as PagerDuty does', async (_name, body, status, fault) => {
    const response = await send(body);

    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      status: 'invalid event',
      message: 'Event object is invalid',
      errors: [expect.stringContaining(fault)],
    });
  });

  it('takes the key from the header X-Routing-Key too', async () => {
    const request = { method: 'POST', body: JSON.stringify({ event_action: 'trigger', payload }) };
    const headers = { 'content-type': 'application/json', 'x-routing-key': routing_key };
    const answer = await tocsin.service.fetch(new Request(`${PUBLIC_URL}/v2/enqueue`, { ...request, headers }));

    expect(answer.status).toBe(202);
    expect(await listSignals()).toMatchObject([{ service: 'postgres' }]);
  });

  it('loses no event over a time that is a number', async () => {
    const answer = await send({ routing_key, event_action: 'trigger', payload: { ...payload, timestamp: 1769846400 } });

    expect(answer.status).toBe(202);
    expect(await listSignals()).toMatchObject([{ observed_at: '2026-01-31T08:00:00.000Z' }]);
  });

  it('reports what is wrong with an event, and records it at the integration', async () => {
    const response = await send({ routing_key, event_action: 'trigger', payload: { source: 'db-1' } });
    const failing = await lastError();
    await send({ routing_key, event_action: 'trigger', payload });

    expect(response.status).toBe(400);
    expect(Object(await response.json()).errors).toEqual([expect.stringMatching(/^payload\/summary: /)]);
    expect(failing).toMatch(/^invalid-body: \/payload /);
    expect(await lastError()).toBeNull();
  });

  it('refuses a read-only key, and another method', async () => {
    const readOnly = await send({ routing_key: tocsin.readOnlyKey, event_action: 'trigger', payload });
    const get = await tocsin.service.fetch(new Request(`${PUBLIC_URL}/v2/enqueue`));

    expect(readOnly.status).toBe(403);
    expect(get.status).toBe(405);
    expect(get.headers.get('allow')).toBe('POST');
  });
});

describe('POST /v1/cloudevents', () => {
  let key: string;
  beforeEach(async () => {
    key = await makeIngestKey('cloudevents');
  });

  const event = { specversion: '1.0', type: 'disk.full', source: '/hosts/a', id: '1', data: { message: 'no space' } };
  const send = (contentType: string, body: unknown, headers: Record<string, string> = {}) =>
    tocsin.call('POST', '/cloudevents', { key, headers: { 'content-type': contentType, ...headers }, body });

  it('accepts an event in structured mode', async () => {
    const response = await send('application/cloudevents+json; charset=utf-8', event);

    expect(response.status).toBe(200);
    expect(await tocsin.openIncident()).toMatchObject({
      root_service: '/hosts/a',
      signals: [{ summary: 'disk.full: no space' }],
    });
  });

  it('accepts a batch', async () => {
    const response = await send('application/cloudevents-batch+json', [event, { ...event, source: '/hosts/b' }]);

    expect(response.status).toBe(200);
    expect((await listSignals()).map(({ service }) => service).toSorted()).toEqual(['/hosts/a', '/hosts/b']);
  });

  it.each([
    ['application/json', '{"message":"no space"}', 'disk.full: no space'],
    ['text/plain', 'no space', 'disk.full: caf\u00e9'],
    ['application/octet-stream', '\u0001', 'disk.full: caf\u00e9'],
    ['application/json; charset=utf-8', '', 'disk.full: caf\u00e9'], // the SDK for Node, of an event without data
  ])('takes an event in binary mode with data of type %s', async (contentType, body, summary) => {
    const response = await send(contentType, body, {
      'ce-specversion': '1.0',
      'ce-type': 'disk.full',
      'ce-source': '/hosts/a',
      'ce-id': '1',
      'ce-subject': 'caf%C3%A9',
      'ce-severitynumber': '13',
    });

    expect(response.status).toBe(200);
    expect(await listSignals()).toMatchObject([{ service: '/hosts/a', summary, severity: 'warning' }]);
  });

  it.each([
    ['application/cloudevents+json', { ...event, specversion: '0.3' }, 422, '/specversion'],
    ['application/cloudevents-batch+json', [{ ...event, id: '' }], 422, '/0/id'],
    ['application/json', event, 415, undefined],
  ])('refuses as %s: %j', async (contentType, body, status, pointer) => {
    const response = await send(contentType, body);

    expect(response.status).toBe(status);
    expect(Object(await response.json()).errors?.[0].pointer).toBe(pointer);
    expect(await lastError()).not.toBeNull();
    expect(await listSignals()).toEqual([]);
  });

  it('refuses invalid JSON in binary mode', async () => {
    const response = await send('application/json', '{', { 'ce-specversion': '1.0' });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid-json' });
  });
});

describe('POST /v1/generic', () => {
  let key: string;
  beforeEach(async () => {
    key = await makeIngestKey('generic');
  });

  const event = { service: 'backup', summary: 'the nightly backup failed' };
  const send = (body: unknown) => tocsin.call('POST', '/generic', { key, body });

  it('accepts the event of the documentation', async () => {
    const page = await readFile(join(import.meta.dirname, '../../docs/senders.md'), 'utf8');
    const [, example = ''] = /```json\n(\{\s*"service".*?)```/s.exec(page) ?? [];

    expect((await send(example)).status).toBe(200);
    expect(await listSignals()).toMatchObject([{ service: 'backup', attributes: { host: 'backup-1' } }]);
  });

  it('accepts one event and a list of events', async () => {
    const statuses = [(await send(event)).status, (await send([event, { ...event, service: 'mail' }])).status];

    expect(statuses).toEqual([200, 200]);
    expect(await tocsin.openIncident()).toMatchObject({ severity: 'error' });
    const occurrences = Object.fromEntries((await listSignals()).map((signal) => [signal.service, signal.occurrences]));
    expect(occurrences).toEqual({ backup: 2, mail: 1 });
  });

  it.each([
    [{ summary: 'x' }, 422, '/service'],
    [{ ...event, severity: 'fatal' }, 422, '/severity'],
    [[event, { ...event, observed_at: 'yesterday' }], 422, '/1/observed_at'],
    [[], 422, ''],
    [Array.from({ length: 1_001 }, () => event), 422, ''],
    ['{', 400, undefined],
    [`{"summary":"${'x'.repeat(1_048_576)}"}`, 413, undefined],
  ])('refuses %.60j', async (body, status, pointer) => {
    const response = await send(body);

    expect(response.status).toBe(status);
    expect(Object(await response.json()).errors?.[0].pointer).toBe(pointer);
    expect(await lastError()).not.toBeNull();
  });
});
