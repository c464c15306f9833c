import { afterAll, beforeAll, expect, it } from 'vitest';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { boxesOf } from '../support/boxes.ts';
import { signIn } from '../support/dashboard.ts';
import { type DashboardInBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { changeCorrelation } from '../support/wide-incident.ts';

const LINE_HEIGHT = 24;

const cleanup = new AsyncDisposableStack();
let dashboard: DashboardInBrowser;

beforeAll(async () => {
  dashboard = cleanup.use(await startDashboard());
});
afterAll(() => cleanup.disposeAsync());

it('shows every time in the zone of the reader, and UTC on hover', async () => {
  const { tocsin } = dashboard;
  await tocsin.failIn(['lighthouse']);
  const { id, number } = await tocsin.openIncident();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const change = { at: '2026-01-05T23:30:00.000Z', from: 'harbour', to: 'lighthouse', because: 'it failed first' };
  await db
    .updateTable('incidents')
    .set({ root_changes: JSON.stringify([change]) })
    .where('id', '=', id)
    .execute();
  await using opened = await dashboard.open(`/incidents/${number}`, { timezoneId: 'Asia/Tokyo' });
  const { page } = opened;
  const answer = await page.locator('#incident-why time').textContent();
  const paths = [`incidents/${number}`, 'settings/api-keys', 'settings/people', 'settings/audit'];

  for (const path of paths) {
    await page.goto(`${dashboard.url}/dashboard/${path}`);
    await page.evaluate("for (const each of document.querySelectorAll('main details')) each.open = true");
    const titles = await page.locator('main time').evaluateAll((times) => times.map(({ title }) => title));
    expect([path, (await page.locator('main').innerText()).match(/.*UTC.*/g)]).toEqual([path, null]);
    expect([path, titles.filter((title) => !/ UTC\)?$/.test(title))]).toEqual([path, []]);
    expect([path, titles.length > 0]).toEqual([path, true]);
  }
  expect(answer).toMatch(/^2026-01-06 /);
});

it('keeps the failures of a row in one line, however many they are', async () => {
  const { tocsin } = dashboard;
  await tocsin.failIn(['breakwater']);
  const { id } = await tocsin.openIncident();
  const harm = {
    requests: 60_000,
    total: 70_000,
    failed: 60_000,
    since: tocsin.now().toISOString(),
    per_minute: 12_345,
  };
  await changeCorrelation(tocsin, id, { harm });

  await using opened = await dashboard.open('/incidents?service=breakwater');
  const words = opened.page.getByText('12,345 requests/min now');
  await words.waitFor();
  const [box] = await boxesOf(words);
  const [row] = await boxesOf(opened.page.locator('.incident'));
  await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'moored', user: 'ana' } });
  await opened.page.goto(`${dashboard.url}/dashboard/incidents?status=closed&service=breakwater`);
  const closed = await opened.page.locator('.incident').innerText();

  expect(box?.height).toBeLessThan(LINE_HEIGHT);
  expect(closed).toContain('still failing');
  expect(closed).not.toContain('now');
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((row?.x ?? 0) + (row?.width ?? 0));
});

it('keeps roles and ages of people in one line, and says so where nothing was done yet', async () => {
  await signIn(dashboard.tocsin, dashboard.tocsin.readWriteKey, 'Observer');
  await using opened = await dashboard.open('/settings/people');
  const { page } = opened;
  const words = await boxesOf(page.locator('td .word, td time[data-ago]'));
  await page.goto(`${dashboard.url}/dashboard/settings/audit`);
  const agents = await boxesOf(page.locator('td[data-label="From"]'));

  expect(words.length).toBeGreaterThan(3);
  expect(Math.max(...words.map(({ height }) => height))).toBeLessThan(LINE_HEIGHT);
  expect(Math.min(...agents.map(({ width }) => width))).toBeGreaterThan(240);
  expect(await page.getByRole('table').filter({ hasText: 'What people did with integrations' }).innerText()).toContain(
    'Nothing yet',
  );
});

const LONG = 'a-service-with-a-generated-name-'.repeat(6);
const UNBROKEN = 'W'.repeat(180);

it('keeps pages within the screen and the answers short, however long names and messages are', async () => {
  const { tocsin } = dashboard;
  await tocsin.failIn([LONG], { name: `GET /${UNBROKEN}`, attributes: { 'exception.message': UNBROKEN } });
  const { number } = await tocsin.openIncident();
  const paths = [`incidents/${number}`, 'incidents', 'signals', 'services', `search?q=${LONG.slice(0, 20)}`];

  await using opened = await dashboard.open('/incidents');
  const { page } = opened;
  for (const path of paths) {
    await page.goto(`${dashboard.url}/dashboard/${path}`);
    for (const width of [1_280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect([path, width, overflow]).toEqual([path, width, 0]);
    }
  }
  await page.goto(`${dashboard.url}/dashboard/incidents/${number}`);
  for (const width of [1_280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const [acknowledge] = await boxesOf(page.getByRole('button', { name: 'Acknowledge' }));
    expect(acknowledge?.y).toBeLessThan(844);
  }
});

it('shows at least nine incidents at 1280 x 900 also with titles of 200 characters', async () => {
  for (let index = 0; index < 9; index += 1) {
    const body = {
      title: `${index} ${'customers cannot pay '.repeat(9)}`,
      service: `${index} ${LONG}`.slice(0, 200),
      user: 'ana',
      severity: 'critical',
    };
    expect((await dashboard.tocsin.call('POST', '/incidents', { body })).status).toBe(201);
  }

  await using opened = await dashboard.open('/incidents');
  const rows = await boxesOf(opened.page.locator('.incident'));

  expect(rows.filter(({ y, height }) => y + height <= 900).length).toBeGreaterThanOrEqual(9);
});

it('says in the timeline until when it is snoozed, in the zone of the reader, and which incidents were merged', async () => {
  const { tocsin } = dashboard;
  await tocsin.failIn(['north-pier']);
  const { number: into } = await tocsin.openIncident();
  await tocsin.failIn(['south-pier']);
  const { number } = await tocsin.openIncident();
  const ana = await signIn(tocsin, tocsin.readWriteKey, 'Ana');
  const path = `/incidents/${number}`;
  await ana.visit(`${path}/snooze`, { form: { minutes: '60', target: 'incident', reason: 'planned work' } });
  await ana.visit(`${path}/merge`, { form: { into: `#${into}` } });
  await ana.visit(`${path}/split`, { form: {} });
  await using opened = await dashboard.open(path, { timezoneId: 'Asia/Tokyo' });

  const timeline = await opened.page.locator('#incident-timeline').innerText();
  const markdown = await (await ana.visit(`${path}/text`)).text();

  expect(await opened.page.locator('.answers').innerText()).toContain('No deployment in the half hour before');
  expect(timeline).toMatch(/until [^TZ]*: planned work/);
  expect(timeline).toContain(`with #${into}`);
  expect(timeline).toContain(`from #${into}`);
  expect(markdown).toMatch(/Snoozed by Ana .*: until [\d-]+ [\d:]+ UTC: planned work/);
});

it('says that an incident continues one that is still open, and merges it with one click', async () => {
  const { tocsin } = dashboard;
  await tocsin.failIn(['sluice']);
  const { id: before, number: first } = await tocsin.openIncident();
  await tocsin.failIn(['weir']);
  const { id, number } = await tocsin.openIncident();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await db.updateTable('incidents').set({ previous_incident_id: before }).where('id', '=', id).execute();
  await using opened = await dashboard.open(`/incidents/${number}`, { name: 'Ana' });
  const { page } = opened;
  const said = await page.locator('.incident-head').innerText();

  await page.getByRole('button', { name: `Merge into #${first}` }).click();
  await page.locator('.incident-head').getByText('Part of').last().waitFor();

  expect(said).toContain(`Continues #${first}: sluice`);
  expect(said).toContain('which is still open');
});

it('shows a stack trace among the attributes of a signal in its lines', async () => {
  const stack = 'Error: no berth\n    at moor (harbour.ts:12:3)\n    at enter (harbour.ts:40:1)';
  await dashboard.tocsin.failIn(['mooring'], { attributes: { 'exception.stacktrace': stack } });
  const { number } = await dashboard.tocsin.openIncident();
  await using opened = await dashboard.open(`/incidents/${number}`);
  const { page } = opened;

  await page.getByRole('link', { name: 'One of them' }).first().click();
  const value = page.locator('dd').filter({ hasText: 'no berth' });

  expect(await value.innerText()).toBe(stack);
});

it('never says of what has just happened that it is ahead, when clocks differ by seconds', async () => {
  await dashboard.tocsin.failIn(['tide']);
  const { number } = await dashboard.tocsin.openIncident();
  await using opened = await dashboard.open(`/incidents/${number}`);
  const { page } = opened;
  await page.clock.setFixedTime(Date.now());
  await page.reload();

  const words = await page.evaluate<string>(`{
    const time = document.querySelector('main time[data-ago]');
    time.dateTime = new Date(Date.parse(document.documentElement.dataset.now) + 3000).toISOString();
    document.dispatchEvent(new CustomEvent('htmx:sse:after:message'));
    time.textContent;
  }`);

  expect(words).toBe('0 seconds ago');
});
