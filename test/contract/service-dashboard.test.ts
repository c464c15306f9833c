import { expect, it } from 'vitest';
import { SignalList } from '../../src/contract/lists.ts';
import { createId } from '../../src/service/core/ids.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { alertNotification } from '../support/alert-notification.ts';
import { signIn, stranger } from '../support/dashboard.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

const OWN_SCRIPT = /<script src="\/dashboard\/static\/[\w.]+\?v=[0-9a-f]{12}"(?: defer="")?><\/script>/g;

async function visit(
  tocsin: TestService,
  path: string,
  options: { key?: string | null; headers?: Record<string, string>; form?: Record<string, string> } = {},
) {
  const { key = tocsin.readWriteKey, headers, form } = options;
  const visitor = key === null ? stranger(tocsin) : await signIn(tocsin, key);
  return visitor.visit(path, { ...(headers && { headers }), ...(form && { form }) });
}

it('requires sign-in, and accepts an API key', async () => {
  await using tocsin = await startTestService();

  const nobody = await visit(tocsin, '/incidents?status=closed', { key: null });
  const wrong = await stranger(tocsin).visit('/sign-in', { form: { key: 'guess' } });
  const reader = await visit(tocsin, '/incidents', { key: tocsin.readOnlyKey });

  expect([nobody.status, wrong.status, reader.status]).toEqual([302, 403, 200]);
  expect(nobody.headers.get('location')).toBe(
    '/dashboard/sign-in?return_to=%2Fdashboard%2Fincidents%3Fstatus%3Dclosed',
  );
  expect(await wrong.text()).toContain('This API key is unknown, has expired or was revoked.');
});

it.each([
  ['/incidents/6', '/incidents dashboard #6<'],
  ['/incidents/6?kind=log', '/incidents dashboard #6<'],
  ['/incidents?status=closed', '/incidents dashboard<'],
])('names the Slack command that leads back to %s', async (path, command) => {
  await using tocsin = await startTestService();

  const nobody = await visit(tocsin, path, { key: null });
  const page = await stranger(tocsin).visit((nobody.headers.get('location') ?? '').replace('/dashboard', ''));

  expect(await page.text()).toContain(command);
});

it('explains how to send signals while there is no incident', async () => {
  await using tocsin = await startTestService();

  const start = await visit(tocsin, '');
  const page = await (await visit(tocsin, '/incidents')).text();

  expect(start.headers.get('location')).toBe('/dashboard/incidents');
  expect(page).toMatch(/^<!doctype html><html lang="en"/);
  expect(page).toContain('No incident is open, because nothing has reported yet.');
  expect(page).toContain(`OTEL_EXPORTER_OTLP_ENDPOINT=${PUBLIC_URL}\n`);
  expect(page).not.toContain('Filter incidents');
});

it('does not say that nothing has reported, once something has', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'restarted', user: 'ana' } });

  const page = await (await visit(tocsin, '/incidents')).text();

  expect(page).toContain('No call between services was seen in the last day');
  expect(page).not.toContain('nothing has reported yet');
});

it('shows an incident from open to closed, with every value escaped', async () => {
  await using tocsin = await startTestService();
  const evil = '<script>alert("x")</script>';
  await tocsin.failIn([evil], { name: evil });
  const { id, number } = await tocsin.openIncident();

  const list = await (await visit(tocsin, '/incidents')).text();
  await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: evil } });
  const acknowledged = await (await visit(tocsin, '/incidents')).text();
  await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: `fixed ${evil}`, user: evil } });
  const closed = await (await visit(tocsin, '/incidents?status=closed')).text();
  const detail = await (await visit(tocsin, `/incidents/${number}`)).text();

  expect(list).toContain(`href="/dashboard/incidents/${number}"`);
  expect(list).toContain('Not acknowledged');
  expect(acknowledged).toMatch(/state-acknowledged owner.*?&lt;script&gt;/s);
  expect(closed).toMatch(/state-closed owner.*?&lt;script&gt;/s);
  expect(detail).toContain('fixed &lt;script&gt;');
  for (const page of [list, acknowledged, closed, detail]) {
    expect(page.replaceAll(OWN_SCRIPT, '')).not.toContain('<script');
  }
});

it('asks for another number where an incident shall be part of a closed one', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const closed = await tocsin.openIncident();
  await tocsin.failIn(['search']);
  const open = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${closed.id}/resolve`, { body: { resolution_note: 'rolled back' } });

  const page = await visit(tocsin, `/incidents/${open.number}/merge`, { form: { into: `#${closed.number}` } });

  expect(page.status).toBe(422);
  expect(await page.text()).toContain('Give the number of another open incident');
});

it('pages through many incidents', async () => {
  await using tocsin = await startTestService();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const correlation = { method: 'test', confidence: 1, services: [], edges: [], window: {}, evidence: [] };
  const rows = Array.from({ length: 51 }, (_, index) => ({
    id: createId('inc', new Date(index)),
    title: `number ${index} fails`,
    severity: 'error' as const,
    root_service: 'payments',
    services: ['payments'],
    signal_counts: JSON.stringify({ trace: 1, metric: 0, log: 0 }),
    correlation: JSON.stringify(correlation),
    opened_at: new Date(index),
    last_signal_at: new Date(index),
    updated_at: new Date(index),
    previous_incident_id: null,
  }));
  await db.insertInto('incidents').values(rows).execute();

  const first = await (await visit(tocsin, '/incidents')).text();
  const [next = ''] = /(?<=rel="next" href="\/dashboard)[^"]+/.exec(first) ?? [];
  const second = await (await visit(tocsin, next)).text();
  const nonsense = await (await visit(tocsin, '/incidents?cursor=nonsense&severity=none&sort=up')).text();

  expect(first).toContain('50 of 51 incidents, worst first');
  expect(first).toContain('number 0 fails'); // open longest
  expect(first).not.toContain('number 50 fails');
  expect(second).toContain('1 of 51 incidents, worst first');
  expect(second).toContain('number 50 fails');
  expect(second).toContain('<a href="/dashboard/incidents">First page</a>');
  expect(second).not.toContain('Next page');
  expect(nonsense).toContain('50 of 51 incidents, worst first');
});

it('shows a new key once, without caching, and it works', async () => {
  await using tocsin = await startTestService();

  const made = await visit(tocsin, '/settings/api-keys', {
    headers: { 'sec-fetch-site': 'same-origin' },
    form: { name: 'collector <eu>', scope: 'read-write' },
  });
  const [key = ''] = /tcn_rw_\w{60}/.exec(await made.text()) ?? [];
  const list = await (await visit(tocsin, '/settings/api-keys')).text();

  expect(made.headers.get('cache-control')).toBe('no-store');
  expect((await tocsin.call('GET', '/incidents', { key })).status).toBe(200);
  expect(list).toContain('collector &lt;eu&gt;');
  expect(list).not.toContain(key.slice(-49));
});

it('lets a read-only key list the keys but not change them', async () => {
  await using tocsin = await startTestService();
  const key = tocsin.readOnlyKey;
  const headers = { 'sec-fetch-site': 'same-origin' };

  const page = await visit(tocsin, '/settings/api-keys', { key });
  const made = await visit(tocsin, '/settings/api-keys', { key, headers, form: { name: 'x', scope: 'read-write' } });
  const revoked = await visit(tocsin, '/settings/api-keys/key_1/revoke', { key, headers, form: {} });

  expect(page.status).toBe(200);
  expect(await page.text()).not.toContain('action="/dashboard/settings');
  expect([made.status, revoked.status]).toEqual([403, 403]);
});

it("refuses a form that another site sends with the browser's credentials", async () => {
  await using tocsin = await startTestService();
  const form = { name: 'stolen', scope: 'read-write' };

  const foreign = await visit(tocsin, '/settings/api-keys', {
    form,
    headers: { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
  });
  const unknown = await visit(tocsin, '/settings/api-keys', { form, headers: {} });
  const own = await visit(tocsin, '/settings/api-keys', { form, headers: { origin: PUBLIC_URL } });

  expect([foreign.status, unknown.status, own.status]).toEqual([403, 403, 200]);
});

it('reports an invalid form and an unknown page', async () => {
  await using tocsin = await startTestService();
  const headers = { 'sec-fetch-site': 'same-origin' };

  const nameless = await visit(tocsin, '/settings/api-keys', { headers, form: { name: ' ', scope: 'read-only' } });
  const nothing = await visit(tocsin, '/nowhere');
  const noIncident = await visit(tocsin, '/incidents/12345');
  const noKey = await visit(tocsin, '/settings/api-keys/key_1/revoke', { headers, form: {} });

  expect(nameless.status).toBe(422);
  expect(await nameless.text()).toContain('A key needs a name');
  expect([nothing.status, noIncident.status, noKey.status]).toEqual([404, 404, 404]);
});

it('leads from an address with a slash at its end to the page without', async () => {
  await using tocsin = await startTestService();

  const answers = await Promise.all(
    ['/', '/incidents/?status=closed', '/nowhere//'].map((path) => visit(tocsin, path)),
  );

  expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
    [301, '/dashboard'],
    [301, '/dashboard/incidents?status=closed'],
    [301, '/dashboard/nowhere'],
  ]);
});

it('refuses a NUL character in a form or an address', async () => {
  await using tocsin = await startTestService();
  const headers = { 'sec-fetch-site': 'same-origin' };

  const created = await visit(tocsin, '/settings/api-keys', { headers, form: { name: 'a\0b', scope: 'read-only' } });
  const revoked = await visit(tocsin, '/settings/api-keys/%00/revoke', { headers, form: {} });
  const shown = await visit(tocsin, '/incidents/%00');
  const schedule = await visit(tocsin, '/on-call/%00');
  const forgotten = await visit(tocsin, '/settings/lessons/%00/forget', { headers, form: {} });

  expect([created.status, revoked.status, shown.status]).toEqual([422, 404, 404]);
  expect([schedule.status, forgotten.status]).toEqual([404, 303]);
});

it('forbids foreign scripts, frames and caching on every page, and has one style sheet for all', async () => {
  await using tocsin = await startTestService();

  const page = await visit(tocsin, '/incidents');
  const style = await visit(tocsin, '/static/style.css', { key: null });

  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
});

it('makes links of the addresses that a sender put among the attributes of a signal', async () => {
  await using tocsin = await startTestService();
  const [alert] = alertNotification().alerts;
  const imageURL = 'https://images.example/1.png';
  await tocsin.call('POST', '/grafana', { body: { version: '1', alerts: [{ ...alert, imageURL }] } });
  const { signals } = SignalList.parse(await (await tocsin.call('GET', '/signals')).json());

  const page = await (await visit(tocsin, `/signals/${signals[0]?.id}`)).text();

  expect(page).toContain(`<a href="${imageURL}" rel="noopener noreferrer" target="_blank"><bdi>${imageURL}</bdi></a>`);
});
