import { beforeEach, describe, expect, it } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import { MAX_CARDS } from '../../src/service/store/incidents/card-store.ts';
import { signIn } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const URL_OF_CARD = 'https://example.slack.com/archives/C1/p1';

let tocsin: TestService;
let incident: Incident;

beforeEach(async () => {
  tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  incident = await tocsin.openIncident();
  return () => tocsin[Symbol.asyncDispose]();
});

function post(body: object, key = tocsin.readWriteKey): Promise<Response> {
  return tocsin.call('POST', `/incidents/${incident.id}/cards`, { key, body });
}

async function link(url: string, place: string): Promise<void> {
  expect((await post({ url, place })).status).toBe(200);
}

async function read() {
  const response = await tocsin.call('GET', `/incidents/${incident.id}`);
  return { etag: response.headers.get('etag'), ...Incident.parse(await response.json()) };
}

async function registerWorkspace(team: string): Promise<string> {
  const body = { type: 'slack', name: team, config: { team_id: team, app_id: 'A1' } };
  return Object(await (await tocsin.call('POST', '/integrations', { body })).json()).id;
}

describe('a card', () => {
  it.each([
    { workspaces: ['T1'], reported: undefined, used: ['T1'] },
    { workspaces: ['T1'], reported: 'T1', used: ['T1'] },
    { workspaces: ['T1'], reported: 'a deleted one', used: ['T1'] },
    { workspaces: ['T1', 'T2'], reported: 'T2', used: ['T2'] },
    { workspaces: ['T1', 'T2'], reported: undefined, used: [] },
    { workspaces: ['T1', 'T2'], reported: 'a deleted one', used: [] },
    { workspaces: ['T1', 'T2'], reported: 'the webhook', used: [] },
  ])('of $reported shows with $workspaces that $used is used', async ({ workspaces, reported, used }) => {
    const body = { type: 'webhook', config: { url: 'https://example.com/' } };
    const webhook = Object(await (await tocsin.call('POST', '/integrations', { body })).json());
    const ids = new Map([['the webhook', webhook.id]]);
    for (const team of workspaces) {
      ids.set(team, await registerWorkspace(team));
    }
    const id = reported === undefined ? {} : { integration_id: ids.get(reported) ?? 'int_deleted' };
    expect((await post({ url: URL_OF_CARD, place: '#incidents', ...id })).status).toBe(200);

    const { integrations } = Object(await (await tocsin.call('GET', '/integrations')).json());
    const inUse = [...integrations].filter(({ state }) => state === 'used').map(({ name }) => name);
    expect(inUse).toEqual(used);
  });

  it('is on the single incident, one for each place', async () => {
    expect((await read()).cards).toEqual([]);
    await link(URL_OF_CARD, '#incidents');
    await link('http://127.0.0.1:3001/archives/C2/p1', '#payments');
    await link(`${URL_OF_CARD}000`, '#incidents');
    await link(`${URL_OF_CARD}000`, '#incidents');

    expect((await read()).cards).toEqual([
      { url: `${URL_OF_CARD}000`, place: '#incidents' },
      { url: 'http://127.0.0.1:3001/archives/C2/p1', place: '#payments' },
    ]);
  });

  it('changes the entity tag of the response, but refuses nobody who read the incident before', async () => {
    const body = { title: 'no payments', service: 'ledger', severity: 'error' }; // no telemetry, so nothing else changes it
    incident = Incident.parse(await (await tocsin.call('POST', '/incidents', { body })).json());
    const before = await read();
    await link(URL_OF_CARD, '#incidents');
    const after = await read();
    const changed = await tocsin.call('POST', `/incidents/${incident.id}/acknowledge`, {
      body: { user: 'ana' },
      headers: { 'if-match': String(before.etag) },
    });

    expect(after.etag).not.toBe(before.etag);
    expect(after.updated_at).toBe(before.updated_at);
    expect(after.timeline).toEqual(before.timeline);
    expect(changed.status).toBe(200);
  });

  it('stays when the incident is closed and opened again', async () => {
    await link(URL_OF_CARD, '#incidents');
    await tocsin.call('POST', `/incidents/${incident.id}/resolve`, { body: { resolution_note: 'restarted' } });
    await tocsin.call('POST', `/incidents/${incident.id}/reopen`, { body: { user: 'ana' } });

    expect((await read()).cards).toHaveLength(1);
  });

  it.each([
    ['a script', { url: 'javascript:alert(1)', place: '#incidents' }],
    ['http on another host', { url: 'http://example.com/archives/C1/p1', place: '#incidents' }],
    ['a host that only begins like a loopback one', { url: 'http://127.0.0.1.example.com/', place: '#incidents' }],
    ['a password', { url: 'https://ana:secret@example.com/', place: '#incidents' }],
    ['a long address', { url: `https://example.com/${'a'.repeat(1_981)}`, place: '#incidents' }],
    ['a long place', { url: URL_OF_CARD, place: 'a'.repeat(81) }],
    ['no place', { url: URL_OF_CARD, place: ' ' }],
  ])('is refused for %s', async (_, body) => {
    expect((await post(body)).status).toBe(422);
    expect((await read()).cards).toEqual([]);
  });

  it('may be as long as the limits', async () => {
    const card = { url: `https://example.com/${'a'.repeat(1_980)}`, place: 'a'.repeat(80) };
    await link(card.url, card.place);

    expect((await read()).cards).toEqual([card]);
  });

  it('is refused beyond ten places, which can still get other addresses', async () => {
    for (let index = 0; index < MAX_CARDS; index += 1) {
      await link(URL_OF_CARD, `#channel-${index}`);
    }
    const refused = await post({ url: URL_OF_CARD, place: '#one-more' });

    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ code: 'too-many-cards' });
    await link(`${URL_OF_CARD}000`, '#channel-0');
  });

  it('needs a read-write key', async () => {
    const key = await tocsin.service.createKey('reader', 'read-only');

    expect((await post({ url: URL_OF_CARD, place: '#incidents' }, key)).status).toBe(403);
  });

  it('is a link on the page of the incident', async () => {
    const ana = await signIn(tocsin, tocsin.readOnlyKey);
    const path = `/incidents/${incident.number}`;
    const before = await (await ana.visit(path)).text();
    await link(`${URL_OF_CARD}?a="><b>`, '#<i>incidents');
    const page = await (await ana.visit(path)).text();

    expect(before).not.toContain('In Slack');
    expect(page).toContain(
      '<dt>In Slack</dt><dd><a href="https://example.slack.com/archives/C1/p1?a=&quot;&gt;&lt;b&gt;" rel="noopener',
    );
    expect(page).toContain('<bdi>#&lt;i&gt;incidents</bdi></a>');
  });
});
