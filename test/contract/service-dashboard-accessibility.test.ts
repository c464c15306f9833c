import { addHours } from 'date-fns/addHours';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SignalList } from '../../src/contract/lists.ts';
import { Schedule } from '../../src/contract/on-call.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { type DashboardInBrowser, type OpenedPage, startDashboard } from '../support/dashboard-browser.ts';
import { layoutFaults } from '../support/layout.ts';

const LONG_NAME = 'a-service-with-a-name-that-is-longer-than-any-line-on-a-telephone-could-ever-be';
const LONG_LINE = `${'a-word-without-a-space'.repeat(12)} and ${'many short words '.repeat(8)}`;

const cleanup = new AsyncDisposableStack();
let dashboard: DashboardInBrowser;
let opened: OpenedPage;
let signal = '';
let schedule = '';

beforeAll(async () => {
  dashboard = cleanup.use(await startDashboard());
  const { tocsin } = dashboard;
  await tocsin.failIn(['payments', 'stock']);
  const { number } = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${number}/resolve`, { body: { resolution_note: 'restarted', user: 'ana' } });
  await tocsin.failIn([LONG_NAME, 'web'], {
    name: `POST /${'a-long-way/'.repeat(15)}`,
    attributes: { 'exception.message': LONG_LINE, 'exception.stacktrace': `Error: ${LONG_LINE}\n`.repeat(60) },
  });
  const long = await tocsin.openIncident();
  const note = { user: `ana ${LONG_NAME}`, text: `${LONG_LINE}\n`.repeat(8) };
  await tocsin.call('POST', `/incidents/${long.number}/notes`, { body: note });
  await tocsin.call('PATCH', `/incidents/${long.number}`, { body: { user: 'ana', lead: LONG_NAME } });
  const list = SignalList.parse(await (await tocsin.call('GET', '/signals')).json());
  signal = list.signals[0]?.id ?? '';
  for (const [id, name] of Object.entries({ U1: 'Ana Lima', U2: 'Ben Okafor', U3: 'Chi Nguyen' })) {
    await tocsin.call('PUT', `/people/slack:${id}`, { body: { name } });
  }
  const layer = { every: { count: 1, unit: 'day' }, anchor: '2026-11-02', at: '09:00' };
  const night = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '18:00', to: '06:00' };
  const body = {
    name: 'Payments',
    time_zone: 'Europe/Berlin',
    layers: [
      { ...layer, people: ['slack:U1', 'slack:U2'] },
      { ...layer, people: ['slack:U3', null], hours: [night] },
    ],
  };
  schedule = Schedule.parse(await (await tocsin.call('POST', '/schedules', { body })).json()).id;
  const override = { person: 'slack:U3', to: addHours(tocsin.now(), 5), reason: 'a swap of shifts' };
  await tocsin.call('POST', `/schedules/${schedule}/overrides`, { body: override });
  opened = cleanup.use(await dashboard.open('/incidents'));
});
afterAll(() => cleanup.disposeAsync());

const pages = [
  '/incidents?status=all',
  '/search?q=payments',
  '/search?q=nothing',
  '/incidents',
  '/incidents?status=closed',
  '/incidents?q=nothing',
  '/incidents/declare',
  '/incidents/1',
  '/incidents/2',
  '/signals',
  '/signals?type=metric',
  '/signals/:signal',
  '/services',
  '/services/payments',
  '/settings/api-keys',
  '/settings/mutes',
  '/on-call',
  '/on-call/:schedule',
  '/on-call/:schedule/edit',
  '/settings/lessons',
  '/nowhere',
] as const;

it.each(pages)('has nothing on %s that keeps anybody from using it', async (path) => {
  const { page, complaints } = opened;
  await page.goto(`${dashboard.url}/dashboard${path.replace(':signal', signal).replace(':schedule', schedule)}`);

  for (const width of [1_280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect([width, ...(await accessibilityFaults(page))]).toEqual([width]);
    expect([width, ...(await layoutFaults(page.locator('main')))]).toEqual([width]);
  }

  expect(complaints.filter((text) => !/404/.test(text))).toEqual([]);
});

it('shows a viewer what they may not do', async () => {
  await using viewed = await dashboard.open('/incidents/2', { key: dashboard.tocsin.readOnlyKey });

  await viewed.page.getByText('Your role is viewer').waitFor();
  expect(await viewed.page.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0);
  expect(await accessibilityFaults(viewed.page)).toEqual([]);
});
