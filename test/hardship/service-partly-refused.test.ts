import { expect, it } from 'vitest';
import { Integration, IntegrationList } from '../../src/contract/integrations.ts';
import { SignalList } from '../../src/contract/lists.ts';
import { signIn } from '../support/dashboard.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

const alert = (number: number, endsAt?: string) => ({
  status: 'firing',
  labels: { alertname: `Down${number}`, service: 'payments' },
  startsAt: new Date().toISOString(),
  endsAt: endsAt ?? '0001-01-01T00:00:00Z',
  fingerprint: `5ef77f1f8a3ecfd${number}`,
});
const cloudEvent = (number: number) => ({
  specversion: '1.0',
  id: `${number}`,
  source: 'backup',
  type: `failed.${number}`,
});
const event = (number: number) => ({ service: 'backup', summary: `the backup failed ${'abc'[number]}` });
const anyEvent = (number: number) => ({ what: `failed ${'abc'[number]}` });

interface Batch {
  readonly type: Integration['type'];
  readonly config?: object;
  /** `:key` stands for the key. */
  readonly path: string;
  readonly media?: string;
  readonly valid: (number: number) => object;
  /** Members of the invalid entry; `marker` is how people recognize it. */
  readonly invalid: object;
  readonly wrap?: (entries: readonly object[]) => object;
  readonly status?: number;
}

const BATCHES: readonly Batch[] = [
  { type: 'prometheus', path: '/api/v2/alerts', valid: alert, invalid: { labels: {}, marker: 'm' }, status: 400 },
  {
    type: 'alertmanager',
    path: '/v1/alertmanager',
    valid: alert,
    invalid: { status: 'odd', marker: 'm' },
    wrap: (alerts) => ({ version: '4', alerts }),
  },
  {
    type: 'grafana',
    path: '/v1/grafana',
    valid: alert,
    invalid: { startsAt: 'now', marker: 'm' },
    wrap: (alerts) => ({ version: '1', alerts }),
  },
  {
    type: 'oncall',
    path: '/integrations/v1/grafana_alerting/:key/',
    valid: alert,
    invalid: { labels: { alertname: 1 }, marker: 'm' },
    wrap: (alerts) => ({ version: '1', alerts }),
  },
  {
    type: 'cloudevents',
    path: '/v1/cloudevents',
    media: 'application/cloudevents-batch+json',
    valid: cloudEvent,
    invalid: { specversion: '0.3', marker: 'm' },
  },
  { type: 'generic', path: '/v1/generic', valid: event, invalid: { summary: '', marker: 'm' } },
  {
    type: 'json',
    path: '/v1/json',
    config: { mapping: { title: 'body.what' } },
    valid: anyEvent,
    invalid: { what: '', marker: 'm' },
  },
];

async function create(tocsin: TestService, { type, config = {} }: Batch) {
  const created = await tocsin.call('POST', '/integrations', { body: { type, name: 'mine', config } });
  const { id, ingest_key: key = '' } = Integration.parse(await created.json());
  return { id, key };
}

async function post(tocsin: TestService, batch: Batch, key: string, entries: readonly object[]) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': batch.media ?? 'application/json' };
  const body = JSON.stringify(batch.wrap?.(entries) ?? entries);
  const url = PUBLIC_URL + batch.path.replace(':key', key);
  const response = await tocsin.service.fetch(new Request(url, { method: 'POST', headers, body }));
  return { status: response.status, text: await response.text() };
}

async function countSignals(tocsin: TestService): Promise<number> {
  return SignalList.parse(await (await tocsin.call('GET', '/signals?type=metric')).json()).signals.length;
}

it.each(BATCHES)('keeps the valid entries of a batch at $path, and the invalid one aside', async (batch) => {
  await using tocsin = await startTestService();
  const { id, key } = await create(tocsin, batch);
  const invalid = { ...batch.valid(1), ...batch.invalid };

  const answer = await post(tocsin, batch, key, [batch.valid(0), invalid, batch.valid(2)]);
  const { integrations } = IntegrationList.parse(await (await tocsin.call('GET', '/integrations')).json());
  const visitor = await signIn(tocsin, tocsin.readWriteKey);
  const page = await (await visitor.visit(`/settings/integrations/${id}`)).text();

  expect(answer.status).toBe(batch.status ?? 422);
  expect(answer.text).toContain('1 of 3 refused, the others taken: ');
  expect(await countSignals(tocsin)).toBe(2);
  expect(integrations.find((each) => each.id === id)?.last_error).toMatch(
    /^invalid-body: 1 of 3 refused, the others taken: \/\w+ /,
  );
  expect(page).toContain('marker');
});

it.each(BATCHES)('refuses a batch at $path without a valid entry as a whole', async (batch) => {
  await using tocsin = await startTestService();
  const { key } = await create(tocsin, batch);
  const invalid = { ...batch.valid(1), ...batch.invalid };

  const answer = await post(tocsin, batch, key, [invalid, invalid]);

  expect(answer.status).toBe(batch.status ?? 422);
  expect(answer.text).not.toContain('the others taken');
  expect(await countSignals(tocsin)).toBe(0);
});

it.each(BATCHES)('loses no entry at $path over a character that cannot be stored', async (batch) => {
  await using tocsin = await startTestService();
  const { key } = await create(tocsin, batch);
  const nul = { ...batch.valid(1), marker: 'a\u0000b' };

  const answer = await post(tocsin, batch, key, [batch.valid(0), nul, batch.valid(2)]);

  expect(answer.text).not.toContain('refused');
  expect(await countSignals(tocsin)).toBe(3);
});
