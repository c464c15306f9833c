import { expect, it } from 'vitest';
import { createPeopleStore } from '../../src/service/store/people/people-store.ts';
import { cookieOf, lendSession, stranger, visitorWith } from '../support/dashboard.ts';
import { type DashboardInBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { openPushBrowser, subscribeTo } from '../support/push-browser.ts';
import { startPushService } from '../support/push-service.ts';
import { openIncidentOf, openTables } from '../support/webhook-receiver.ts';

/** Ana, who was signed in from Slack, at the page of her ways. */
async function openWays(dashboard: DashboardInBrowser) {
  const { tocsin, url } = dashboard;
  const body = { user: 'ana', user_id: 'email:ana@tocsin.test', name: 'Ana', role: 'responder' };
  const link = Object(await (await tocsin.call('POST', '/sign-in-links', { body })).json());
  const path = new URL(String(link.url)).pathname.replace('/dashboard', '');
  const opened = await dashboard.open('/settings/ways');
  const signedIn = await stranger(tocsin).visit(path, { form: {} });
  await lendSession(opened.page.context(), url, await visitorWith(tocsin, cookieOf(signedIn)));
  return opened;
}

it('wakes by a browser: the worker shows what came, answers by its button, and says who has taken it', async () => {
  await using dashboard = await startDashboard({ namesOwnAddress: true, webhooks: { allowPrivateAddresses: true } });
  await using service = await startPushService();
  const { tocsin, url } = dashboard;
  await using opened = await openWays(dashboard);
  const { page } = opened;
  await subscribeTo(page, service);
  await page.reload();

  await page.getByRole('button', { name: 'Wake me by this browser' }).click();
  await service.take(1);
  await page.getByRole('table', { name: 'Ways to wake Ana' }).getByText('Web push').waitFor();
  const browser = await openPushBrowser(page, service);
  await page.getByRole('button', { name: /^Test browser at/ }).click();
  const test = await browser.waitForShown(/^This is a test/);
  await browser.click(test.tag, 'answer');
  const afterTest = await browser.shown();
  await page.reload();
  await page.getByText(/^Answered/).waitFor();

  const people = createPeopleStore(await openTables(tocsin));
  const ana = await people.readPerson('email:ana@tocsin.test');
  const steps = [{ after_s: 0, to: [{ kind: 'person', id: ana?.id }] }];
  await tocsin.call('POST', '/policies', { body: { name: 'All', user: 'ana', steps } });
  const first = await openIncidentOf(tocsin, 'payments');
  const asked = await browser.waitForShown(/^#\d+ error: .*payments/);
  await browser.click(asked.tag, 'answer');
  const afterAnswer = await browser.shown();
  const answered = await (await tocsin.call('GET', `/incidents/${first}`)).json();

  const second = await openIncidentOf(tocsin, 'search');
  const { tag } = await browser.waitForShown(/^#\d+ error: .*search/);
  const [answerPage = ''] = await browser.click(tag, '');
  await page.goto(answerPage);
  const link = page.getByRole('link', { name: /^#\d+/ });
  const incidentPage = await link.getAttribute('href');
  await tocsin.call('POST', `/incidents/${second}/acknowledge`, { body: { user: 'ben' } });
  const taken = await browser.waitForShown(/^Taken by ben: #\d+/);
  const onTheScreen = await browser.shown();
  const [, incidentOpened] = await browser.click(taken.tag, '');

  expect(test).toMatchObject({
    requireInteraction: true,
    silent: false,
    actions: [{ action: 'answer', title: 'I have it' }],
  });
  expect(afterTest.map(({ title }) => title)).toEqual(['Thank you. It works.']);
  expect(asked).toMatchObject({ requireInteraction: true, actions: [{ action: 'answer' }] });
  expect(asked.body).toMatch(/^#\d+ error: .*payments.*\nNobody has it yet\.$/);
  expect(afterAnswer.map(({ title }) => title)).toEqual(['You have it. One incident.']);
  expect(answered).toMatchObject({ acknowledged: true, acknowledged_by: 'Ana' });
  expect(onTheScreen).toEqual([taken]);
  expect(taken).toMatchObject({ requireInteraction: false, actions: [], body: 'You need not do anything.' });
  expect(answerPage).toContain('/dashboard/answer/attempt_');
  expect(incidentOpened).toBe(url + incidentPage);
  expect(opened.complaints).toEqual([]);
});

it('does not say that an answer has arrived which did not', async () => {
  await using dashboard = await startDashboard({ namesOwnAddress: true, webhooks: { allowPrivateAddresses: true } });
  await using service = await startPushService();
  await using opened = await openWays(dashboard);
  await subscribeTo(opened.page, service);
  await opened.page.reload();
  await opened.page.getByRole('button', { name: 'Wake me by this browser' }).click();
  await service.take(1);
  const browser = await openPushBrowser(opened.page, service);
  const answerUrl = `${dashboard.url}/dashboard/answer/attempt_of_nobody`;

  await browser.deliver({ tag: 'wake ana', title: 'Wake up', body: '', url: dashboard.url, answerUrl, isLoud: true });
  const { tag } = await browser.waitForShown(/^Wake up$/);
  await browser.click(tag, 'answer');
  const [shown] = await browser.shown();
  const opens = await browser.click(tag, '');

  expect(shown).toMatchObject({ tag, requireInteraction: true });
  expect(shown?.title).toBe('Your answer did not arrive: open this to try again');
  expect(opens).toEqual([answerUrl]);
});

it('can be installed: the manifest has a name, a start inside its scope, and an icon of any size', async () => {
  await using dashboard = await startDashboard();
  await using opened = await dashboard.open('/incidents');
  const devTools = await opened.page.context().newCDPSession(opened.page);

  const { errors, data, manifest } = await devTools.send('Page.getAppManifest');
  const { installabilityErrors } = await devTools.send('Page.getInstallabilityErrors');
  const { name, icons } = JSON.parse(data ?? '{}');
  const icon = await fetch(new URL(icons[0].src, `${dashboard.url}/dashboard/static/manifest.json`));

  expect([errors, installabilityErrors]).toEqual([[], []]);
  expect(name).toBe('Tocsin');
  expect(manifest).toMatchObject({
    display: 'kStandalone',
    scope: `${dashboard.url}/dashboard/`,
    startUrl: `${dashboard.url}/dashboard/incidents`,
  });
  expect(icons).toMatchObject([{ sizes: 'any' }]);
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, expect.stringContaining('image/svg+xml')]);
});
