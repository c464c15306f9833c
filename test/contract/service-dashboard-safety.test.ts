import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { SignalList } from '../../src/contract/lists.ts';
import { signIn } from '../support/dashboard.ts';
import { startDashboard } from '../support/dashboard-browser.ts';
import { startTestService } from '../support/test-service.ts';

const EVIL = `"'><img src=x onerror="window.hacked=1"></textarea></title><script>window.hacked=1</script><!-- \u2028 {{7*7}}`;

it('runs nothing that a signal, an incident, a note, a service or a person brings', async () => {
  await using dashboard = await startDashboard();
  const { tocsin } = dashboard;
  const attributes = { [EVIL]: EVIL, 'exception.message': EVIL, runbook_url: 'javascript:window.hacked=1' };
  await tocsin.failIn([EVIL, `${EVIL} other`], { name: EVIL, attributes });
  const { id, number } = await tocsin.openIncident();
  const list = SignalList.parse(await (await tocsin.call('GET', '/signals')).json());
  const post = (action: string, body: unknown) => tocsin.call('POST', `/incidents/${id}/${action}`, { body });
  await post('acknowledge', { user: EVIL });
  await post('notes', { user: EVIL, text: EVIL });
  await tocsin.call('POST', '/mutes', {
    body: {
      target: 'incident',
      value: id,
      until: new Date(tocsin.now().getTime() + 3_600_000).toISOString(),
      reason: EVIL,
      user: EVIL,
    },
  });
  const paths = [
    '/incidents',
    `/incidents?q=${encodeURIComponent(EVIL)}&service=${encodeURIComponent(EVIL)}`,
    `/incidents/${number}`,
    `/incidents/${number}?q=${encodeURIComponent(EVIL)}&service=${encodeURIComponent(EVIL)}`,
    `/signals?q=${encodeURIComponent(EVIL)}`,
    `/signals/${list.signals[0]?.id}`,
    '/services',
    `/services/${encodeURIComponent(EVIL)}`,
    '/incidents?status=closed',
  ];

  for (const path of paths) {
    if (path.includes('closed')) {
      await post('resolve', { resolution_note: EVIL, user: EVIL });
    }
    await using opened = await dashboard.open(path, { name: EVIL.slice(0, 100) });
    expect(await opened.page.evaluate('window.hacked')).toBeUndefined();
    expect(await opened.page.locator('img, a[href^="javascript"]').count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  }
  // What the stream sends is escaped too.
  await using opened = await dashboard.open(`/incidents/${number}`);
  await opened.page.locator('#live-status', { hasText: 'Live' }).waitFor();
  await post('reopen', { user: EVIL, reason: EVIL });
  await opened.page.locator('.incident-head').getByText('Open, acknowledged').waitFor();
  expect(await opened.page.evaluate('window.hacked')).toBeUndefined();
  expect(await opened.page.locator('img').count()).toBe(0);
});

it('sends at most 60 kB, compressed, for a page with everything that it loads', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  for (let index = 0; index < 12; index += 1) {
    await tocsin.failIn([`service-${index}`, `other-${index}`], { name: `GET /path-${index}` });
  }
  await tocsin.openIncident();

  for (const path of ['/incidents', '/incidents/1', '/signals', '/services']) {
    const page = await admin.visit(path);
    const text = await page.text();
    const files = [...text.matchAll(/(?:src|href)="\/dashboard(\/static\/[^"]+)"/g)].map(([, file = '']) => file);
    const bodies = await Promise.all(files.map(async (file) => (await admin.visit(file)).text()));
    const weight = [text, ...bodies].reduce((sum, body) => sum + gzipSync(body).length, 0);

    expect(files.length).toBeGreaterThan(2);
    expect(weight).toBeLessThan(60_000);
  }
});

it('compresses pages', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  const page = await admin.visit('/incidents', { headers: { 'accept-encoding': 'gzip' } });

  expect(page.headers.get('content-encoding')).toBe('gzip');
});

it('refuses what a viewer may not do', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const { number } = await tocsin.openIncident();
  const viewer = await signIn(tocsin, tocsin.readOnlyKey);

  for (const action of [
    'acknowledge',
    'unacknowledge',
    'resolve',
    'reopen',
    'notes',
    'snooze',
    'unsnooze',
    'merge',
    'split',
  ]) {
    const response = await viewer.visit(`/incidents/${number}/${action}`, { form: { note: 'x', minutes: '60' } });
    expect([action, response.status]).toEqual([action, 403]);
    expect(await response.text()).toContain('Your role is viewer');
  }
  const unchanged = await (await tocsin.call('GET', `/incidents/${number}`)).json();
  expect(unchanged).toMatchObject({ status: 'open', acknowledged: false, mute: null });
});
