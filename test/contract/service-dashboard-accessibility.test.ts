import { afterAll, beforeAll, expect, it } from 'vitest';
import { SignalList } from '../../src/contract/lists.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { type DashboardInBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { layoutFaults } from '../support/layout.ts';

const cleanup = new AsyncDisposableStack();
let dashboard: DashboardInBrowser;
let signal = '';

beforeAll(async () => {
  dashboard = cleanup.use(await startDashboard());
  const { tocsin } = dashboard;
  await tocsin.failIn(['payments', 'stock']);
  const { number } = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${number}/resolve`, { body: { resolution_note: 'restarted', user: 'ana' } });
  await tocsin.failIn(['a-service-with-a-name-that-is-longer-than-any-line-on-a-telephone-could-ever-be']);
  await tocsin.openIncident();
  const list = SignalList.parse(await (await tocsin.call('GET', '/signals')).json());
  signal = list.signals[0]?.id ?? '';
});
afterAll(() => cleanup.disposeAsync());

const pages = [
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
  '/settings/lessons',
  '/nowhere',
] as const;

it.each(pages.flatMap((path) => [1_280, 390].map((width) => [path, width] as const)))(
  'has nothing on %s at %i pixels that keeps anybody from using it',
  async (path, width) => {
    await using opened = await dashboard.open(path.replace(':signal', signal), { width });
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
