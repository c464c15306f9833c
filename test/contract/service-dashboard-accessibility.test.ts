import { addHours } from 'date-fns/addHours';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SignalList } from '../../src/contract/lists.ts';
import { Schedule } from '../../src/contract/on-call.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { type DashboardInBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { layoutFaults } from '../support/layout.ts';

const LONG_NAME = 'a-service-with-a-name-that-is-longer-than-any-line-on-a-telephone-could-ever-be';
const LONG_LINE = `${'a-word-without-a-space'.repeat(12)} and ${'many short words '.repeat(8)}`;

const cleanup = new AsyncDisposableStack();
let dashboard: DashboardInBrowser;
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

it.each(pages.flatMap((path) => [1_280, 390].map((width) => [path, width] as const)))(
  'has nothing on %s at %i pixels that keeps anybody from using it',
  async (path, width) => {
    await using opened = await dashboard.open(path.replace(':signal', signal).replace(':schedule', schedule), {
      width,
    });
    const { page, complaints } = opened;

    const faults = await accessibilityFaults(page);

    expect(faults).toEqual([]);
    expect(await layoutFaults(page.locator('main'))).toEqual([]);
    expect(complaints.filter((text) => !/404/.test(text))).toEqual([]);
  },
);

it('shows a viewer what they may not do', async () => {
  await using opened = await dashboard.open('/incidents/2', { key: dashboard.tocsin.readOnlyKey });

  await opened.page.getByText('Your role is viewer').waitFor();
  expect(await opened.page.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0);
  expect(await accessibilityFaults(opened.page)).toEqual([]);
});
