import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { renderServicesPage } from '../../src/service/dashboard/services/services-page.tsx';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { type Box, boxesOf, isWithin, overlaps } from '../support/boxes.ts';
import { signIn } from '../support/dashboard.ts';
import { type DashboardInBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { startSimulatedFailure } from '../support/dashboard-scene.ts';
import { HANG_MS } from '../support/hang.ts';
import { wayOf, widenIncident } from '../support/wide-incident.ts';

const cleanup = new AsyncDisposableStack();
let dashboard: DashboardInBrowser;

beforeAll(async () => {
  dashboard = cleanup.use(await startDashboard());
});
afterAll(() => cleanup.disposeAsync());

const LINE_HEIGHT = 24;

/** Whether they are in one column. */
function isBeside(one: Box, other: Box): boolean {
  return one.x < other.x + other.width && other.x < one.x + one.width;
}

function screenOf(page: Page): Box {
  return { x: 0, y: 0, width: 0, height: 0, ...page.viewportSize() };
}

it('shows at least nine incidents at 1280 x 900, in columns that align', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) {
    await dashboard.tocsin.failIn([`service-${name}`]);
    await dashboard.tocsin.openIncident();
  }

  await using opened = await dashboard.open('/incidents');
  const rows = await boxesOf(opened.page.locator('.incident'));
  const owners = await boxesOf(opened.page.locator('.incident .owner'));

  expect(rows.filter(({ y, height }) => y + height <= 900).length).toBeGreaterThanOrEqual(9);
  expect(new Set(owners.map(({ x }) => Math.round(x))).size).toBe(1);
  expect(overlaps(rows)).toEqual([]);
});

it('breaks no word of the counts beside a service with the longest name', async () => {
  const [seenAt, publicUrl] = [new Date(), dashboard.url];
  const callees = ['mail', 'stock'].map((name) => ({ name, failedPerMinute: 0, isInTrouble: true, seenAt }));
  const facts = { openIncidents: 1, isFailing: true, failedPerMinute: 0, callers: callees, callees, changes: [] };
  const person = { user: 'ana', name: 'ana', slackUserId: null, userId: 'ana' };
  const from = { address: '', userAgent: '', createdAt: seenAt, lastSeenAt: seenAt };
  const signIn = { person, role: 'viewer', method: 'link', identity: 'ana', grantedBy: [], apiKeyId: null } as const;
  const session = { id: '', csrfToken: '', ...signIn, ...from };
  const services = ['x'.repeat(200), 'web'].map((name) => ({ ...facts, name }));
  const html = await renderServicesPage({
    services,
    text: '',
    system: 'main',
    systems: ['main'],
    session,
    publicUrl,
    now: seenAt,
  });
  await using opened = await dashboard.open('/services');

  await opened.page.setContent(String(html));
  const counts = opened.page.getByText('2 services', { exact: true });

  expect(await counts.count()).toBe(4);
  for (const { height } of await boxesOf(counts)) {
    expect(height).toBeLessThan(LINE_HEIGHT * 1.5);
  }
});

it('never prints two marks of the chart over each other, of one minute', async () => {
  const { tocsin } = dashboard;
  for (const version of ['1.1', '1.2', '1.3', '1.4', '1.5', '1.6']) {
    const deployed = { type: 'deploy', service: 'billing', summary: version, observed_at: tocsin.now().toISOString() };
    await tocsin.call('POST', '/generic', { body: deployed });
  }
  await tocsin.failIn(['billing']);
  const { number } = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${number}/acknowledge`, { body: { user: 'ana' } });
  const visitor = await signIn(tocsin, tocsin.readWriteKey, 'Observer');
  const isObserved = async () => (await (await visitor.visit('/services/billing')).text()).includes('1.1<');
  await vi.waitUntil(isObserved, { timeout: HANG_MS, interval: 500 }); // what was observed is stored every half minute

  await using opened = await dashboard.open(`/incidents/${number}`);
  for (const width of [1_280, 390]) {
    await opened.page.setViewportSize({ width, height: 900 });
    const labels = opened.page.locator('.mark text').filter({ visible: true });
    await labels.first().waitFor();

    expect(await opened.page.locator('.chart:visible .mark').count()).toBeGreaterThanOrEqual(6);
    expect(overlaps(await boxesOf(labels))).toEqual([]);
  }
});

it('keeps the root of the map in view, its services apart, and its way to people highlighted', async () => {
  const { tocsin } = dashboard;
  await tocsin.failIn(['harbour-root']);
  const { id, number } = await tocsin.openIncident();
  const resolution = { resolution_note: 'restarted', user: 'ana' }; // nothing else changes it from now on
  await tocsin.call('POST', `/incidents/${id}/resolve`, { body: resolution });
  await using opened = await dashboard.open(`/incidents/${number}`);
  const { page } = opened;
  const withoutMap = await page.getByText('No calls between its services are known').count();
  expect([withoutMap, await page.locator('.map-box').count()]).toEqual([1, 0]);
  for (const count of [4, 12, 40]) {
    const names = Array.from({ length: count - 1 }, (_, index) => `dependent-service-${index}`);
    await widenIncident(tocsin, id, ['harbour-root', ...names]);
    for (const width of [1_280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.reload();
      await page.locator('#incident-map summary').first().click();
      const map = page.locator('.map-box').first();
      const nodes = await boxesOf(map.locator('.node rect'));
      const [root] = await boxesOf(map.locator('.node.root rect'));
      const [box] = await boxesOf(map);

      expect(nodes.length).toBe(Math.min(count, 12));
      expect(overlaps(nodes)).toEqual([]);
      expect([root, box].map((each) => each?.width ?? 0).every((wide) => wide > 50)).toBe(true);
      expect(root?.x).toBeGreaterThanOrEqual(box?.x ?? Number.NaN);
      expect((root?.x ?? 0) + (root?.width ?? 0)).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0) + 1);
      expect(await map.locator('.edge.way').count()).toBe(wayOf(names.length + 1).length - 1);
    }
  }
});

it('starts the unfolded map of all services with its root in view', async () => {
  const { tocsin } = dashboard;
  await tocsin.failIn(['quay-root']);
  const { id, number } = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'restarted', user: 'ana' } });
  await widenIncident(tocsin, id, ['quay-root', ...Array.from({ length: 39 }, (_, index) => `dependent-${index}`)]);

  await using opened = await dashboard.open(`/incidents/${number}`);
  const { page } = opened;
  for (const width of [1_280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.reload();
    await page.locator('#incident-map summary').first().click();
    await page.getByText('Show all 40 services').click();
    const map = page.locator('details details[open] .map-box');
    await map.locator('.node.root').waitFor();
    await vi.waitUntil(
      async () => {
        const [root] = await boxesOf(map.locator('.node.root rect'));
        const [box] = await boxesOf(map);
        return root !== undefined && box !== undefined && isWithin(root, box) && isWithin(root, screenOf(page));
      },
      { timeout: HANG_MS },
    );
    expect(overlaps(await boxesOf(map.locator('.node rect')))).toEqual([]);
  }
});

it('keeps every heading away from the folded table above it', async () => {
  const { tocsin } = dashboard;
  await tocsin.failIn(['pier']);
  const { number } = await tocsin.openIncident();

  await using opened = await dashboard.open(`/incidents/${number}`);
  for (const width of [1_280, 390]) {
    await opened.page.setViewportSize({ width, height: 900 });
    const leastGap = async () => {
      const summaries = await boxesOf(opened.page.getByText('As a table', { exact: true }));
      const headings = await boxesOf(opened.page.locator('main :is(h2, h3)'));
      const gaps = summaries.flatMap((summary) =>
        headings
          .filter((heading) => heading.y >= summary.y && isBeside(heading, summary))
          .map((heading) => heading.y - summary.y - summary.height),
      );
      return gaps.length === 0 ? null : Math.min(...gaps);
    };

    await expect.poll(leastGap).toBeGreaterThanOrEqual(16);
  }
});

it('lets the time of the chart be chosen, and splits the failures by service', async () => {
  const { tocsin } = dashboard;
  await tocsin.failIn(['till']);
  await tocsin.openIncident();
  await tocsin.failIn(['ledger']);
  const { number, id } = await tocsin.openIncident();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await db.updateTable('signals').set({ incident_id: id }).where('service', 'in', ['till', 'ledger']).execute();
  tocsin.advance(4 * 60 * 60_000);
  await using opened = await dashboard.open(`/incidents/${number}`);
  const { page } = opened;
  const region = page.locator('#incident-failures');
  const rows = await region.locator('.by-service li').allTextContents();

  await region.getByRole('link', { name: 'Last 3 hours' }).click();
  await page.waitForURL(/chart=3h/);
  const last = await region.getByText('No failures are counted for this time.').count();
  const chosen = await region.locator('[aria-current]').allTextContents();
  await region.getByRole('link', { name: 'Last 3 hours' }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(/incidents\/\d+#/);

  expect(rows).toEqual([expect.stringMatching(/^ledger\d+ failures$/), expect.stringMatching(/^till\d+ failures$/)]);
  expect(last).toBe(1);
  expect(chosen).toEqual(['Last 3 hours']);
  expect(await region.locator('[aria-current]').allTextContents()).toEqual(['All']);
  expect(await region.locator('caption').first().textContent()).toContain('in this chart');
  expect(await region.locator('.chart.wide:visible').count()).toBeGreaterThanOrEqual(1); // later one by service, too
  expect(await region.locator('.chart.narrow:visible').count()).toBe(0);
  expect(await region.getByRole('link', { name: '24 hours' }).count()).toBe(0);
});

it('acknowledges several incidents from the list, and says whose it was already', async () => {
  const { tocsin } = dashboard;
  await tocsin.failIn(['north']);
  const first = await tocsin.openIncident();
  await tocsin.failIn(['south']);
  const second = await tocsin.openIncident();
  await using opened = await dashboard.open('/incidents?sort=newest', { name: 'Ana', javaScriptEnabled: false });
  const { page } = opened;
  const button = page.getByRole('button', { name: 'Acknowledge the selected' });
  const hidden = await button.isVisible();

  await page.getByLabel(`Select #${first.number}`, { exact: true }).check();
  await page.getByLabel(`Select #${second.number}`, { exact: true }).check();
  await tocsin.call('POST', `/incidents/${second.number}/acknowledge`, { body: { user: 'ben' } });
  await button.click();

  await page.getByRole('alert').getByText(`ben (by key test) had acknowledged #${second.number} already.`).waitFor();
  expect(hidden).toBe(false);
  expect(await page.locator(`#incident-${first.number} .owner`).first().textContent()).toContain('Ana');
  expect(await page.locator('#incidents').count()).toBe(0);
});

it('says to the second of two people who acknowledge at once whose it is', async () => {
  await dashboard.tocsin.failIn(['east']);
  const { number } = await dashboard.tocsin.openIncident();
  await using opened = await dashboard.open(`/incidents/${number}`, { name: 'Ana', javaScriptEnabled: false });

  await dashboard.tocsin.call('POST', `/incidents/${number}/acknowledge`, { body: { user: 'ben' } });
  await opened.page.getByRole('button', { name: 'Acknowledge', exact: true }).click();

  await opened.page.getByRole('alert').waitFor();

  expect(await opened.page.getByRole('alert').textContent()).toContain('ben (by key test) has acknowledged it already');
});

it('finds an incident by its number, and services and messages by their text', async () => {
  await dashboard.tocsin.failIn(['harbour'], { name: 'POST /anchor' });
  const { number } = await dashboard.tocsin.openIncident();
  await using opened = await dashboard.open('/services');
  const { page } = opened;

  await page.keyboard.press('/');
  await page.keyboard.type('anchor');
  await page.keyboard.press('Enter');
  await page.waitForURL(/search/);
  const incident = await page.locator(`#incident-${number}`).textContent();
  const signal = await page.locator('#found-signals').textContent();
  await page.getByLabel('Search everything').fill(`#${number}`);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`incidents/${number}$`));

  expect(incident).toContain('harbour');
  expect(signal).toContain('POST /anchor');
});

it('shows true ages on a machine whose clock is wrong', async () => {
  await dashboard.tocsin.failIn(['skewed']);
  const { number } = await dashboard.tocsin.openIncident();
  await using opened = await dashboard.open(`/incidents/${number}`);
  const { page } = opened;
  const opening = page.locator('.answers time[data-ago]').first();

  await page.clock.setFixedTime(dashboard.tocsin.now().getTime() + 48 * 60 * 60_000);
  await page.reload();

  expect(await opening.textContent()).toMatch(/^\d+ (seconds?|minutes?) ago$/);
  const pages = ['signals', 'search?q=skewed', 'settings/api-keys', 'settings/people', 'settings/audit'];
  for (const path of pages) {
    await page.goto(`${dashboard.url}/dashboard/${path}`);
    const ages = await page.locator('time[data-ago]').allTextContents();
    expect([path, ages.filter((age) => / days? ago/.test(age))]).toEqual([path, []]);
    expect([path, ages.length > 0]).toEqual([path, true]);
  }
});

it('keeps buttons apart on the page of an integration, and fields of a form as wide as one reads', async () => {
  const admin = await signIn(dashboard.tocsin, dashboard.tocsin.readWriteKey, 'Cleo');
  const form = { type: 'webhook', name: 'board', url: 'https://example.com/hook' };
  await admin.visit('/settings/integrations', { form });
  await using opened = await dashboard.open('/settings/integrations');
  const { page } = opened;
  await page.getByRole('link', { name: 'board' }).click();
  const [test, rotate] = await boxesOf(page.locator('main button'));
  await page.goto(`${dashboard.url}/dashboard/incidents/declare`);
  const [field] = await boxesOf(page.getByLabel('What fails, for whom?'));

  expect((rotate?.x ?? 0) - (test?.x ?? 0) - (test?.width ?? 0)).toBeGreaterThanOrEqual(8);
  expect(field?.width).toBeLessThan(800);
});

it('has a bar of one row on a phone, with a menu of all else that works without JavaScript', async () => {
  await using opened = await dashboard.open('/incidents', { width: 390, name: 'Ana', javaScriptEnabled: false });
  const { page } = opened;
  const [bar] = await boxesOf(page.locator('.top'));

  await page.getByText('Menu').click();
  await page.getByRole('link', { name: 'Services' }).click();
  await page.getByRole('heading', { name: 'Services' }).waitFor();
  await page.getByText('Menu').click();
  await page.getByLabel('Search everything').fill('nothing');

  expect(bar?.height).toBeLessThan(2 * LINE_HEIGHT + 2);
  expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(true);
});

it('answers what the woken ask on the first screen, with one filled next step by state', async () => {
  const { tocsin } = dashboard;
  await tocsin.failIn(['ferry'], { name: 'GET /crossing' });
  const { number } = await tocsin.openIncident();
  const path = `/incidents/${number}`;
  await using opened = await dashboard.open(path);
  const { page } = opened;
  const states = [
    ['Acknowledge', null],
    ['Resolve', ['acknowledge', { user: 'ana' }]],
    ['Open again', ['resolve', { resolution_note: 'moored', user: 'ana' }]],
  ] as const;

  for (const [step, action] of states) {
    if (action !== null) {
      await tocsin.call('POST', `${path}/${action[0]}`, { body: action[1] });
    }
    await page.reload();
    for (const width of [1_280, 390]) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 860 });
      const filled = await page.evaluate<string[]>(`
        [...document.querySelectorAll('.toolbar :is(button, summary)')]
          .filter((each) => each.checkVisibility() && getComputedStyle(each).color === 'rgb(255, 255, 255)')
          .map((each) => each.innerText)`);
      const first = await page.locator('.incident-head').innerText();

      expect([step, width, filled]).toEqual([step, width, [step]]);
      expect(first).toMatch(/GET \/crossing fails \(connection refused\).*Who has it.*Root.*Changed last/s);
      expect((await boxesOf(page.locator('.toolbar')))[0]?.y).toBeLessThan(700);
    }
  }
});

it('leads from the newest signals to all of the incident, which can be filtered', async () => {
  for (const name of ['GET /a', 'GET /b', 'GET /c', 'GET /d']) {
    await dashboard.tocsin.failIn(['jetty'], { name });
  }
  const { number } = await dashboard.tocsin.openIncident();
  await dashboard.tocsin.failIn(['unrelated']);
  await using opened = await dashboard.open(`/incidents/${number}`);
  const { page } = opened;
  const shown = await page.locator('#incident-signals .signal').count();

  await page.getByRole('link', { name: /^\d+ signals in all/ }).click();
  await page.waitForURL(/signals\?incident=/);
  const all = await page.locator('.signal').allInnerTexts();
  await page.getByLabel('Text').fill('GET /b');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.waitForURL(/q=GET/);

  expect(shown).toBe(3);
  expect(all.length).toBeGreaterThan(3);
  expect(all.filter((text) => text.includes('unrelated'))).toEqual([]);
  expect(await page.locator('.signal').allInnerTexts()).toEqual([expect.stringContaining('GET /b')]);
  expect(await page.getByRole('link', { name: `#${number} jetty` }).count()).toBe(1);
});

it('breaks no word of a state in two, and says of what was never used that it was not', async () => {
  const admin = await signIn(dashboard.tocsin, dashboard.tocsin.readWriteKey, 'Dora');
  await admin.visit('/settings/integrations', { form: { type: 'otlp', name: 'idle collector', url: '' } });
  await using opened = await dashboard.open('/settings/api-keys');
  const { page } = opened;
  const [name] = await boxesOf(page.locator('td').getByText('idle collector'));
  const states = await boxesOf(page.locator('td').getByText('works', { exact: true }));
  await page.goto(`${dashboard.url}/dashboard/settings/integrations`);
  const row = page.getByRole('row').filter({ hasText: 'idle collector' });

  expect(states.length).toBeGreaterThanOrEqual(3);
  expect(Math.max(...states.map(({ height }) => height))).toBeLessThan(2 * LINE_HEIGHT);
  expect(name?.height).toBeLessThan(2 * LINE_HEIGHT);
  expect(await row.locator('td').last().textContent()).toBe('never');
});

it('keeps the chosen theme, and shows the tools after a live change', async () => {
  await dashboard.tocsin.failIn(['west']);
  const { number } = await dashboard.tocsin.openIncident();
  await using opened = await dashboard.open(`/incidents/${number}`, { colorScheme: 'light' });
  const { page } = opened;
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor') as Promise<string>;
  await page.locator('#live-status', { hasText: 'Live' }).waitFor();
  const light = await ground();

  await page.getByRole('button', { name: 'Light or dark' }).click();
  await page.reload();
  await page.locator('#live-status', { hasText: 'Live' }).waitFor();
  await dashboard.tocsin.call('POST', `/incidents/${number}/acknowledge`, { body: { user: 'ana' } });
  await page.locator('.incident-head').getByText('Open, acknowledged by ana').waitFor();

  expect(await ground()).not.toBe(light);
  await page.locator('summary', { hasText: 'More' }).click();
  expect(await page.getByRole('button', { name: 'Copy as Markdown' }).isVisible()).toBe(true);
});

it('shows the deployment, the harm, its way to people and the evidence on the first screen', async () => {
  await using dashboard = await startDashboard();
  const number = await startSimulatedFailure(dashboard.tocsin);

  await using opened = await dashboard.open(`/incidents/${number}`);

  for (const width of [1_280, 390]) {
    await opened.page.setViewportSize({ width, height: 900 });
    const marks = opened.page.locator('.mark-deploy text').filter({ visible: true });
    expect(await marks.allTextContents()).toEqual(['deploy payments 1.4.2']);
  }
  await opened.page.setViewportSize({ width: 1_280, height: 900 });
  const markdown = await opened.page.request.get(`${dashboard.url}/dashboard/incidents/${number}/text`);
  const harm = /\d+ of \d+ requests failed since .*, now \d+ a minute/;
  expect(await opened.page.locator('.impact').innerText()).toMatch(harm);
  expect(await markdown.text()).toMatch(harm);
  expect(await opened.page.locator('.path').innerText()).toMatch(/★ payments\s.*\d+ requests.*\s.*checkout.*web/s);
  expect(await opened.page.locator('.messages').first().innerText()).toContain('no merchant account for currency EUR');
  const steps = await opened.page.locator('.trace .step').allInnerTexts();
  expect(steps.map((step) => step.split(' ')[0])).toEqual(['web', 'web', 'checkout', 'checkout', 'payments']);
  const evidence = await opened.page.locator('.messages').first().boundingBox();
  expect((evidence?.y ?? 900) + (evidence?.height ?? 0)).toBeLessThan(900);
});
