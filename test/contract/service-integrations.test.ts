import { beforeEach, expect, it } from 'vitest';
import { Integration, IntegrationList } from '../../src/contract/integrations.ts';
import { REQUEST_LIMITS } from '../../src/contract/requests.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;

beforeEach(async () => {
  tocsin = await startTestService();
  return () => tocsin[Symbol.asyncDispose]();
});

const create = (body: unknown) => tocsin.call('POST', '/integrations', { body });

async function list(): Promise<Integration[]> {
  const answer = await tocsin.call('GET', '/integrations', { key: tocsin.readOnlyKey });
  return IntegrationList.parse(await answer.json()).integrations;
}

it.each([
  ['otlp', PUBLIC_URL],
  ['alertmanager', `${PUBLIC_URL}/v1/alertmanager`],
  ['prometheus', `${PUBLIC_URL}/v1/prometheus`],
  ['grafana', `${PUBLIC_URL}/v1/grafana`],
  ['pagerduty_events', `${PUBLIC_URL}/v2/enqueue`],
  ['opsgenie', `${PUBLIC_URL}/v2/alerts`],
  ['oncall', `${PUBLIC_URL}/integrations/v1`],
  ['cloudevents', `${PUBLIC_URL}/v1/cloudevents`],
  ['generic', `${PUBLIC_URL}/v1/generic`],
])('gives a new integration of type %s a key and an address to send to, the key only once', async (type, url) => {
  const first = await create({ type, name: 'production' });
  const created = Integration.parse(await first.json());
  const again = await create({ type, name: 'production' });
  const other = await create({ type, name: 'staging' });

  expect(first.status).toBe(201);
  expect(first.headers.get('location')).toBe(`/v1/integrations/${created.id}`);
  expect(first.headers.get('cache-control')).toBe('no-store');
  expect(created).toMatchObject({ type, status: 'active', config: {}, last_used_at: null, last_error: null });
  expect(created.ingest_url).toBe(url);
  expect(created.ingest_url).not.toContain(created.ingest_key);
  expect(created.ingest_key).toMatch(/^tcn_in_\w{60}$/);
  expect(again.status).toBe(200);
  const { ingest_key: _ingestKey, ...told } = created;
  expect(await again.json()).toEqual(told);
  expect(other.status).toBe(201);
  expect((await list()).map(({ name }) => name)).toEqual(['staging', 'production']);
  expect(JSON.stringify(await list())).not.toContain('tcn_in_');
});

it('creates another integration for each request without a name', async () => {
  const statuses = [(await create({ type: 'otlp' })).status, (await create({ type: 'otlp' })).status];

  expect(statuses).toEqual([201, 201]);
});

it('gives a webhook a signing secret, shown only once, and one webhook per URL', async () => {
  const first = await create({
    type: 'webhook',
    config: { url: 'https://hooks.example', events: ['incident.opened'] },
  });
  const created = Integration.parse(await first.json());
  const again = await create({ type: 'webhook', name: 'the same', config: { url: 'https://HOOKS.example/' } });

  expect(first.status).toBe(201);
  expect(first.headers.get('cache-control')).toBe('no-store');
  const bytes = Buffer.from(/^whsec_(.+)$/.exec(created.secret ?? '')?.[1] ?? '', 'base64').length;
  expect(bytes).toBeGreaterThanOrEqual(24);
  expect(bytes).toBeLessThanOrEqual(64);
  expect(again.status).toBe(200);
  expect(await again.json()).not.toHaveProperty('secret');
  expect(await list()).toEqual([
    expect.objectContaining({ id: created.id, config: { url: 'https://hooks.example/', events: ['incident.opened'] } }),
  ]);
  expect(JSON.stringify(await list())).not.toContain('whsec_');
});

it('masks possible secrets in the URL of a webhook, and keeps the URL unchanged for sending', async () => {
  const url = 'https://hooks.example/services/T024/tOkEn0123456789abcdefghi?team=a&token=s3cret&token=more#s3cret';
  await create({ type: 'webhook', config: { url } });

  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const row = await db.selectFrom('integrations').select(['config', 'secret']).executeTakeFirstOrThrow();
  expect((await list())[0]?.config).toEqual({ url: 'https://hooks.example/services/T024/***?team=***&token=***' });
  expect(row.config).toEqual({ url });
  expect(row.secret).toMatch(/^whsec_/);
});

it('refuses a webhook URL that is not HTTP or contains credentials', async () => {
  for (const url of [
    'ftp://hooks.example/',
    'hooks.example',
    'https://ana:pass@hooks.example/',
    'https://token@hooks.example/',
    `https://hooks.example/${'x'.repeat(2_000)}`,
  ]) {
    const response = await create({ type: 'webhook', config: { url } });

    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'invalid-body', errors: [{ pointer: '/config/url' }] });
  }
  expect(await list()).toEqual([]);
});

it.each([
  ['events of a webhook', REQUEST_LIMITS.webhookEvents, '/config/events', webhookWithEvents],
  ['characters in the URL of a webhook', REQUEST_LIMITS.webhookUrl, '/config/url', webhookWithUrl],
  ['characters in a field of Slack', REQUEST_LIMITS.slackField, '/config/team_id', slackWithTeam],
  ['characters in a name', REQUEST_LIMITS.integrationName, '/name', otlpWithName],
])('limits the number of %s to %i', async (_what, limit, pointer, requestOf) => {
  const atLimit = await create(requestOf(limit));
  const beyond = await create(requestOf(limit + 1));

  expect(atLimit.status).toBe(201);
  expect(beyond.status).toBe(422);
  expect(await beyond.json()).toMatchObject({
    code: 'invalid-body',
    errors: [{ pointer, detail: expect.stringContaining(`at most ${limit}`) }],
  });
});

function webhookWithEvents(count: number) {
  return { type: 'webhook', config: { url: 'https://hooks.example', events: Array(count).fill('incident.opened') } };
}

function webhookWithUrl(length: number) {
  return { type: 'webhook', config: { url: 'https://hooks.example/'.padEnd(length, 'x') } };
}

function slackWithTeam(length: number) {
  return { type: 'slack', config: { team_id: 'T'.repeat(length), app_id: 'A1' } };
}

function otlpWithName(length: number) {
  return { type: 'otlp', name: 'n'.repeat(length) };
}

it('answers a long list of invalid events with one short error', async () => {
  const events = Array(60_000).fill('');

  const response = await create({ type: 'webhook', config: { url: 'https://hooks.example', events } });

  expect(response.status).toBe(422);
  expect((await response.text()).length).toBeLessThan(1_000);
});

it('refuses unknown events', async () => {
  const response = await create({
    type: 'webhook',
    config: { url: 'https://hooks.example', events: ['incident.lost'] },
  });

  expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: '/config/events/0' }] });
});

it('reports the status of an integration', async () => {
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const at = new Date('2026-01-31T08:00:00.000Z');
  for (const [name, state] of Object.entries({
    a: {},
    b: { last_used_at: at, last_error: 'HTTP 500' },
    c: { last_used_at: at, last_error: 'HTTP 410', disabled_at: at },
  })) {
    const { id } = Integration.parse(
      await (await create({ type: 'webhook', name, config: { url: `https://hooks.example/${name}` } })).json(),
    );
    await db
      .updateTable('integrations')
      .set({ last_used_at: null, ...state })
      .where('id', '=', id)
      .execute();
  }

  const told = (await list()).toSorted((x, y) => String(x.name).localeCompare(String(y.name)));
  expect(told).toMatchObject([
    { status: 'active', last_used_at: null, last_error: null },
    { status: 'failing', last_used_at: at.toISOString(), last_error: 'HTTP 500' },
    { status: 'disabled', last_used_at: at.toISOString(), last_error: 'HTTP 410' },
  ]);
});
