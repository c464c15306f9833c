import { expect, it, vi } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import { startDashboard } from '../support/dashboard-browser.ts';
import { failOnePod, failPayments } from '../support/dashboard-scene.ts';
import { HANG_MS } from '../support/hang.ts';
import type { TestService } from '../support/test-service.ts';

async function incidentOf(tocsin: TestService): Promise<Incident> {
  const list = await (await tocsin.call('GET', '/incidents?service=payments')).json();
  const { incidents } = list as { incidents: readonly { id: string }[] };
  return Incident.parse(await (await tocsin.call('GET', `/incidents/${incidents[0]?.id}`)).json());
}

it('names the one pod of three that loses requests, with true counts, by the API and on the page', async () => {
  await using dashboard = await startDashboard();
  const { tocsin } = dashboard;
  const { pod, lost } = await failOnePod(tocsin);
  const incident = await vi.waitUntil(
    async () => {
      const read = await incidentOf(tocsin);
      return read.correlation?.harm?.requests === lost && read;
    },
    { timeout: HANG_MS, interval: 200 },
  );

  const comparison = incident.correlation?.comparison;
  await using opened = await dashboard.open(`/incidents/${incident.number}`);
  const rows = await opened.page.locator('.differs tbody tr').allInnerTexts();
  const markdown = await opened.page.request.get(`${dashboard.url}/dashboard/incidents/${incident.number}/text`);

  // Good requests of ten minutes at most before the failure and of those during it: a third of each minute is of the pod.
  const { good = 0, kept, attributes, differences: [first, ...others] = [] } = comparison ?? {};
  expect(comparison).toMatchObject({ service: 'payments', lost });
  expect(kept).toBe(lost + good);
  expect(attributes).toEqual(['version', 'instance', 'pod', 'operation', 'caller', 'entry']);
  expect(first).toMatchObject({ attribute: 'instance', value: pod, lost, lost_of: lost, good_of: good });
  expect(first?.good).toBe((good - 2 * lost) / 3);
  expect(others).toEqual([]);
  expect(rows.map((row) => row.replaceAll(/\s+/g, ' '))).toEqual([
    `instance ${pod} ${lost} of ${lost} ${first?.good} of ${good}`,
  ]);
  expect(await markdown.text()).toContain(
    `instance ${pod}: ${lost} of ${lost} lost requests, ${first?.good} of ${good}`,
  );
});

it('names the version that lost requests after a deployment, against those before it', async () => {
  await using dashboard = await startDashboard();
  await failPayments(dashboard.tocsin);

  const { correlation } = await incidentOf(dashboard.tocsin);

  expect(correlation?.comparison?.differences[0]).toMatchObject({ attribute: 'version', value: '1.4.2' });
});
