import { expect, it } from 'vitest';
import { Integration } from '../../src/contract/integrations.ts';
import { SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { datadogDefault } from '../../src/service/ingest/formats/datadog/datadog.samples.ts';
import { newRelicIssue } from '../../src/service/ingest/formats/new-relic/new-relic.samples.ts';
import { sentryPlugin } from '../../src/service/ingest/formats/sentry/sentry.samples.ts';
import { INGEST_LIMITS } from '../../src/service/ingest/limits.ts';
import { alertNotification } from '../support/alert-notification.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

/** Requests of senders that were set up for another product, by what their vendors document (read 2026-11). */

async function keyOf(tocsin: TestService, type: Integration['type']): Promise<string> {
  const created = await tocsin.call('POST', '/integrations', { body: { type, name: 'moved' } });
  return Integration.parse(await created.json()).ingest_key ?? '';
}

function send(tocsin: TestService, method: string, path: string, key: string | null, body: unknown): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(key === null ? {} : { authorization: `GenieKey ${key}` }),
  };
  const text = body === null ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  return tocsin.service.fetch(new Request(PUBLIC_URL + path, { method, headers, ...text }));
}

async function signals(tocsin: TestService): Promise<SignalList['signals']> {
  return SignalList.parse(await (await tocsin.call('GET', '/signals?type=metric')).json()).signals;
}

async function read(tocsin: TestService, id: string): Promise<Incident> {
  return Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
}

/** docs.opsgenie.com, "Alert API", sample of "Create Alert". */
const OPSGENIE = {
  message: 'An example alert message',
  alias: 'Life is too short for no alias',
  description: 'Every alert needs a description',
  responders: [{ id: '4513b7ea-3b91-438f-b7e4-e3e54af9147c', type: 'team' }],
  visibleTo: [{ name: 'rocket_team', type: 'team' }],
  actions: ['Restart', 'AnExampleAction'],
  tags: ['OverwriteQuietHours', 'team:rocket'],
  details: { region: 'Oregon', service_name: 'payments' },
  priority: 'P1',
};

it('takes alerts of Opsgenie, folds them by alias, and ends them when they are closed', async () => {
  await using tocsin = await startTestService();
  const key = await keyOf(tocsin, 'opsgenie');
  const alias = encodeURIComponent(OPSGENIE.alias);

  const created = await send(tocsin, 'POST', '/v2/alerts', key, OPSGENIE);
  const answer = await created.json();
  await send(tocsin, 'POST', '/v2/alerts', key, OPSGENIE);
  const asked = await send(tocsin, 'GET', `/v2/alerts/requests/${Object(answer).requestId}`, key, null);
  await tocsin.openIncident();
  const acknowledged = await send(tocsin, 'POST', `/v2/alerts/${alias}/acknowledge?identifierType=alias`, key, {});
  const noted = await send(tocsin, 'POST', `/v2/alerts/${alias}/notes?identifierType=alias`, key, { note: 'x' });
  const [firing] = await signals(tocsin);
  const closed = await send(tocsin, 'POST', `/v2/alerts/${alias}/close?identifierType=alias`, key, { user: 'ana' });
  const [ended] = await signals(tocsin);

  expect(created.status).toBe(202);
  expect(answer).toMatchObject({ result: 'Request will be processed', took: 0, requestId: expect.any(String) });
  expect(await asked.json()).toMatchObject({ data: { isSuccess: true } });
  expect([acknowledged.status, noted.status, closed.status]).toEqual([202, 202, 202]);
  expect(firing).toMatchObject({
    service: 'payments',
    severity: 'critical',
    summary: 'An example alert message',
    occurrences: 2,
    ended_at: null,
    attributes: { region: 'Oregon', team: 'rocket' },
    source: { format: 'opsgenie', service_by: 'label service_name' },
  });
  expect(ended).toMatchObject({ id: firing?.id, ended_at: expect.any(String) });
});

it("takes what Opsgenie's SDK for Node sends, which ends every address with a slash", async () => {
  await using tocsin = await startTestService();
  const key = await keyOf(tocsin, 'opsgenie');
  const alert = { message: 'the disk is full', alias: 'disk', entity: 'orders-db' };

  const created = await send(tocsin, 'POST', '/v2/alerts/', key, alert);
  await tocsin.openIncident();
  const actions = [
    await send(tocsin, 'POST', '/v2/alerts/disk/acknowledge/?identifierType=alias', key, { user: 'ana' }),
    await send(tocsin, 'POST', '/v2/alerts/disk/snooze/?identifierType=alias', key, {
      endTime: '2027-01-01T00:00:00Z',
    }),
    await send(tocsin, 'POST', '/v2/alerts/disk/close/?identifierType=alias', key, { user: 'ana' }),
    await send(tocsin, 'DELETE', '/v2/alerts/disk/?identifierType=alias', key, null),
  ];

  expect([created, ...actions].map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  expect(await signals(tocsin)).toMatchObject([{ service: 'orders-db', ended_at: expect.any(String) }]);
});

it('acknowledges no incident that has signals of others too, and says what was done, once', async () => {
  await using tocsin = await startTestService();
  const key = await keyOf(tocsin, 'opsgenie');
  await send(tocsin, 'POST', '/v2/alerts', key, { message: 'disk full', alias: 'disk', entity: 'backup' });
  await tocsin.failIn(['backup']);
  const { id } = await tocsin.openIncident();
  await expect.poll(async () => (await read(tocsin, id)).signals).toHaveLength(2);

  for (let repeated = 0; repeated < 2; repeated += 1) {
    await send(tocsin, 'POST', '/v2/alerts/disk/acknowledge', key, { user: 'Ana' });
  }

  const { acknowledged_by: before = null } = await read(tocsin, id);
  await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'Bo' } });
  await send(tocsin, 'POST', '/v2/alerts/disk/unacknowledge', key, { user: 'Ana' });

  const { acknowledged_by: after, timeline = [] } = await read(tocsin, id);
  expect([before, after]).toEqual([null, 'Bo']);
  expect(timeline.filter(({ event }) => event === 'note')).toMatchObject([
    { by: 'Ana', text: expect.stringMatching(/^Acknowledged .*has signals of other senders too/) },
    { by: 'Ana', text: expect.stringMatching(/^Took back .*has signals of other senders too/) },
  ]);
});

it('cuts long names and notes of Opsgenie between characters', async () => {
  await using tocsin = await startTestService();
  const key = await keyOf(tocsin, 'opsgenie');
  await send(tocsin, 'POST', '/v2/alerts', key, { message: 'disk full', alias: 'disk', entity: 'backup' });
  const { id } = await tocsin.openIncident();
  const [name, text] = ['a'.repeat(198), 'n'.repeat(2_998)];

  await send(tocsin, 'POST', '/v2/alerts/disk/acknowledge', key, { user: `${name}😀a`, note: `${text}😀n` });

  const { acknowledged_by: by, timeline } = await read(tocsin, id);
  expect(by).toBe(`${name}…`);
  expect(timeline).toContainEqual(expect.objectContaining({ event: 'note', by, text: `${text}…` }));
});

it('does to the incident what people did with an alert in Opsgenie, in their names', async () => {
  await using tocsin = await startTestService();
  const key = await keyOf(tocsin, 'opsgenie');
  const other = await keyOf(tocsin, 'oncall');
  const at = (action: string) => `/v2/alerts/disk/${action}?identifierType=alias`;
  const resultOf = async (response: Promise<Response>) => Object(await (await response).json()).result;

  const tooEarly = await resultOf(send(tocsin, 'POST', at('acknowledge'), key, { user: 'Ana' }));
  await send(tocsin, 'POST', '/v2/alerts', key, { message: 'disk full', alias: 'disk', entity: 'backup' });
  const { id } = await tocsin.openIncident();
  const byOther = await resultOf(send(tocsin, 'POST', at('acknowledge'), other, { user: 'Bo' }));
  await send(tocsin, 'POST', at('acknowledge'), key, { user: 'Ana', note: 'on it' });
  await send(tocsin, 'POST', at('notes'), key, { user: 'Cy', note: 'cleaning up' });
  const empty = await resultOf(send(tocsin, 'POST', at('notes'), key, null));
  await send(tocsin, 'POST', at('close'), key, { user: 'Ana', note: 'is clean' });
  const closed = Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
  await send(tocsin, 'POST', at('unacknowledge'), key, null);
  const { acknowledged_by } = Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());

  expect([tooEarly, byOther]).toEqual(Array(2).fill('Request ignored: this alert has no incident'));
  expect(empty).toBe('Request ignored: the note is empty');
  expect(closed).toMatchObject({
    status: 'open',
    acknowledged_by: 'Ana',
    signals: [{ ended_at: expect.any(String) }],
  });
  expect(closed.timeline).toMatchObject([
    { event: 'opened' },
    { event: 'acknowledged', by: 'Ana' },
    { event: 'note', by: 'Ana', text: 'on it' },
    { event: 'note', by: 'Cy', text: 'cleaning up' },
    { event: 'note', by: 'Ana', text: 'is clean' },
  ]);
  expect(acknowledged_by).toBeNull();
});

it('acknowledges an alert whose incident is about to open, and ignores an unknown alert', async () => {
  await using tocsin = await startTestService();
  const key = await keyOf(tocsin, 'opsgenie');
  const acknowledge = (alias: string) =>
    send(tocsin, 'POST', `/v2/alerts/${alias}/acknowledge?identifierType=alias`, key, { user: 'Ana' });
  await send(tocsin, 'POST', '/v2/alerts', key, { message: 'disk full', alias: 'disk', entity: 'backup' });

  const [unknown, early, { id }] = await Promise.all([
    acknowledge('no-such'),
    acknowledge('disk'),
    tocsin.openIncident(),
  ]);
  const answer = early.status === 503 ? await acknowledge('disk') : early; // as clients do, on a busy machine

  expect(Object(await unknown.json()).result).toBe('Request ignored: this alert has no incident');
  expect(Object(await answer.json()).result).toBe('Request will be processed');
  expect(await read(tocsin, id)).toMatchObject({ acknowledged_by: 'Ana' });
});

it.each([
  ['P1', 'critical'],
  ['P2', 'error'],
  ['P3', 'warning'],
  ['P4', 'info'],
  ['P5', 'info'],
  [undefined, 'warning'],
])('makes the priority %s of Opsgenie a severity: %s', async (priority, severity) => {
  await using tocsin = await startTestService();
  const key = await keyOf(tocsin, 'opsgenie');

  await send(tocsin, 'POST', '/v2/alerts', key, { message: 'disk full', entity: 'backup', priority });

  expect(await signals(tocsin)).toMatchObject([{ service: 'backup', severity }]);
});

it.each([
  ['no message', { alias: 'a' }, 422, { errors: { message: 'is required' } }],
  [
    'an alias that is too long',
    { message: 'm', alias: 'a'.repeat(513) },
    422,
    { errors: { alias: expect.any(String) } },
  ],
  ['too many tags', { message: 'm', tags: Array(21).fill('t') }, 422, { errors: { tags: expect.any(String) } }],
  ['no JSON', '{', 400, { message: expect.stringContaining('JSON') }],
  ['too many bytes', ' '.repeat(INGEST_LIMITS.eventsBytes + 1), 413, { message: expect.stringContaining('bytes') }],
])('refuses an alert of Opsgenie with %s as Opsgenie does', async (_, body, status, expected) => {
  await using tocsin = await startTestService();

  const response = await send(tocsin, 'POST', '/v2/alerts', await keyOf(tocsin, 'opsgenie'), body);

  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ ...expected, requestId: expect.any(String) });
});

it('accepts the limits of Opsgenie', async () => {
  await using tocsin = await startTestService();
  const alert = { message: 'm', alias: 'a'.repeat(512), tags: Array(20).fill('t') };

  expect((await send(tocsin, 'POST', '/v2/alerts', await keyOf(tocsin, 'opsgenie'), alert)).status).toBe(202);
});

/** developer.pagerduty.com, "Events API v1", sample of a trigger. */
const PAGERDUTY_V1 = {
  incident_key: 'srv01/HTTP',
  event_type: 'trigger',
  description: 'FAILURE for production/HTTP on machine srv01.acme.example',
  client: 'Sample Monitoring Service',
  client_url: 'https://monitoring.example',
  details: { 'ping time': '1500ms', 'load avg': 0.75, service: 'web' },
  contexts: [{ type: 'link', href: 'https://acme.example/runbook', text: 'Runbook' }],
};

it("takes events of PagerDuty's Events API v1", async () => {
  await using tocsin = await startTestService();
  const service_key = await keyOf(tocsin, 'pagerduty_events');
  const path = '/generic/2010-04-15/create_event.json';

  const triggered = await send(tocsin, 'POST', path, null, { ...PAGERDUTY_V1, service_key });
  const [firing] = await signals(tocsin);
  const resolve = { service_key, event_type: 'resolve', incident_key: 'srv01/HTTP' };
  const resolved = await send(tocsin, 'POST', path, null, resolve);
  const refused = await send(tocsin, 'POST', path, null, { service_key, event_type: 'trigger' });

  expect(triggered.status).toBe(200);
  expect(await triggered.json()).toEqual({
    status: 'success',
    message: 'Event processed',
    incident_key: 'srv01/HTTP',
  });
  expect(firing).toMatchObject({
    service: 'web',
    summary: PAGERDUTY_V1.description,
  });
  expect(resolved.status).toBe(200);
  expect(await signals(tocsin)).toMatchObject([{ ended_at: expect.any(String) }]);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ status: 'invalid event', errors: ['description: is required'] });
});

/** grafana/oncall, `config_integrations/formatted_webhook.py`, example payload (2026-01). */
const FORMATTED = {
  alert_uid: '08d6891a-835c-e661-39fa-96b6a9e26552',
  title: 'TestAlert: The whole system is down',
  image_url: 'https://images.example/cat.jpg',
  state: 'alerting',
  link_to_upstream_details: 'https://en.wikipedia.org/wiki/Downtime',
  message: 'This alert was sent by user for demonstration purposes',
};

it('takes formatted webhooks at the address of OnCall', async () => {
  await using tocsin = await startTestService();
  const address = `/integrations/v1/formatted_webhook/${await keyOf(tocsin, 'oncall')}/`;

  const fired = await send(tocsin, 'POST', address, null, FORMATTED);
  const [firing] = await signals(tocsin);
  await send(tocsin, 'POST', address, null, { ...FORMATTED, state: 'ok' });

  expect([fired.status, await fired.text()]).toEqual([200, 'Ok.']);
  expect(firing).toMatchObject({
    summary: FORMATTED.title,
    source: { format: 'oncall' },
  });
  expect(await signals(tocsin)).toMatchObject([{ id: firing?.id, ended_at: expect.any(String) }]);
});

it('loses no formatted webhook over a number as its id or a missing title', async () => {
  await using tocsin = await startTestService();
  const address = `/integrations/v1/formatted_webhook/${await keyOf(tocsin, 'oncall')}/`;
  const { title: _title, ...untitled } = FORMATTED;

  await send(tocsin, 'POST', address, null, { ...FORMATTED, alert_uid: 17, message: null });
  await send(tocsin, 'POST', address, null, { ...untitled, alert_uid: 18 });
  await send(tocsin, 'POST', address, null, { alert_uid: 17, state: 'ok' });
  const found = await signals(tocsin);

  expect(new Set(found.map(({ summary }) => summary))).toEqual(new Set([FORMATTED.title, FORMATTED.message]));
  expect(found.filter(({ ended_at: at }) => at != null)).toMatchObject([{ summary: FORMATTED.title }]);
});

it.each([
  ['zabbix', { alert_uid: '17', title: 'payments fails', service: 'payments' }],
  ['elastalert', { alert_uid: '17', title: 'payments fails', service: 'payments' }],
  ['datadog', datadogDefault('[Triggered on {service:payments}] High error rate')],
  ['newrelic', newRelicIssue('ACTIVATED')],
  ['sentry', sentryPlugin],
])('takes what the type %s of OnCall is sent', async (type, body) => {
  await using tocsin = await startTestService();
  const address = `/integrations/v1/${type}/${await keyOf(tocsin, 'oncall')}/`;

  const answer = await send(tocsin, 'POST', address, null, body);

  expect(answer.status).toBe(200);
  expect(await signals(tocsin)).toMatchObject([{ service: 'payments' }]);
});

it('says which types of OnCall it reads', async () => {
  await using tocsin = await startTestService();
  const answer = await send(tocsin, 'POST', `/integrations/v1/jira/${await keyOf(tocsin, 'oncall')}/`, null, {});

  expect(answer.status).toBe(404);
  expect(Object(await answer.json()).detail).toContain('formatted_webhook, zabbix');
});

/** grafana/oncall, `config_integrations/webhook.py` (read on 2026-11-25): any object, which is over with the state `OK`. */
it('takes any object at the address of OnCall’s webhook, and refuses what is none', async () => {
  await using tocsin = await startTestService();
  const address = `/integrations/v1/webhook/${await keyOf(tocsin, 'oncall')}/`;
  const body = {
    message: 'the disk is full',
    host: 'db-1',
    service: 'backup',
    nested: { a: 1 },
    url: 'https://a.example/1',
  };

  const answers = [
    await send(tocsin, 'POST', address, null, body),
    await send(tocsin, 'POST', address, null, { host: 'db-1' }),
    await send(tocsin, 'POST', address, null, ['a list']),
  ];
  const fired = await signals(tocsin);
  await send(tocsin, 'POST', address, null, { ...body, state: 'OK' });

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 422]);
  expect(new Set(fired.map(({ summary }) => summary))).toEqual(
    new Set(['a webhook without a title', 'the disk is full']),
  );
  expect(fired.find(({ service }) => service === 'backup')).toMatchObject({
    attributes: { host: 'db-1', url: 'https://a.example/1' },
  });
  expect((await signals(tocsin)).filter(({ ended_at }) => ended_at != null)).toMatchObject([{ service: 'backup' }]);
});

it.each([
  ['alertmanager', '4'],
  ['grafana', '1'],
  ['grafana_alerting', '1'],
])('takes what %s sends to OnCall', async (type, version) => {
  await using tocsin = await startTestService();
  const key = await keyOf(tocsin, 'oncall');
  const body = { ...alertNotification(), version };

  const answers = [
    await send(tocsin, 'POST', `/integrations/v1/${type}/${key}/`, null, body),
    await send(tocsin, 'POST', `/integrations/v1/${type}/${key}`, null, body),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await signals(tocsin)).toMatchObject([{ service: 'payments', occurrences: 2 }]);
});

it.each(['/integrations/v1/alertmanager/KEY/', '/integrations/v1/formatted_webhook/KEY/', '/v2/alerts/a/close'])(
  'says nothing about keys that do not work, at %s',
  async (path) => {
    await using tocsin = await startTestService();
    const revoked = await keyOf(tocsin, 'oncall');
    const [id] = /int_\w+/.exec(await (await tocsin.call('GET', '/integrations')).text()) ?? [];
    await tocsin.call('DELETE', `/integrations/${id}`);
    const answers = await Promise.all(
      [revoked, `tcn_in_${'x'.repeat(60)}`, 'nonsense'].map(async (key) => {
        const response = await send(
          tocsin,
          'POST',
          path.replace('KEY', key),
          path.includes('KEY') ? null : key,
          FORMATTED,
        );
        const { requestId: _requestId, request_id: _request, ...said } = Object(await response.json());
        return [response.status, JSON.stringify(said)];
      }),
    );

    expect(new Set(answers.map(String)).size).toBe(1);
    expect(answers[0]?.[0]).toBe(401);
  },
);
