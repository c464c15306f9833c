import { expect, it, vi } from 'vitest';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import { HANG_MS } from '../support/hang.ts';
import { SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';

const MINUTE_MS = 60_000;
const HEALTHY_REPORTS = 12;
const FAILING_REPORTS = 8;

it('opens an incident for a service that fails by its metrics alone, sent once a minute', async () => {
  await using tocsin = await startTestService();
  for (let minute = 0; minute < HEALTHY_REPORTS + FAILING_REPORTS; minute += 1) {
    tocsin.advance(MINUTE_MS);
    await report(tocsin, minute < HEALTHY_REPORTS ? minute % 2 : 40);
  }
  tocsin.advance(2 * SETTLE_MS);
  const incidents = () => list(tocsin);
  await vi.waitUntil(async () => (await incidents()).length > 0, { timeout: HANG_MS });

  expect(await incidents()).toMatchObject([
    {
      root_service: 'basket',
      title: 'basket: share of failed requests of GET /items is 29 %, usually 0 %',
      severity: 'error',
      activity: 'failing',
    },
  ]);
  const [incident] = await incidents();
  expect(incident?.failures_per_minute?.counts.some((count) => count > 0)).toBe(false); // a report is no failure
  const { signals } = SignalList.parse(await (await tocsin.call('GET', '/signals')).json());
  const [newest, ...older] = signals; // minutes that are judged at once are one signal
  expect(newest).toMatchObject({ type: 'metric', service: 'basket', unit: '' });
  expect(older.map(({ service }) => service)).toEqual(older.map(() => 'basket'));
});

async function list(tocsin: TestService) {
  return IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json()).incidents;
}

/** What OpenTelemetry's SDK sends of a minute with a hundred good requests. */
async function report(tocsin: TestService, failed: number): Promise<void> {
  const now = tocsin.now().getTime();
  const points = [
    [200, 100],
    [503, failed],
  ].map(([status, count = 0]) => ({
    startTimeUnixNano: `${now - MINUTE_MS}000000`,
    timeUnixNano: `${now}000000`,
    count: String(count),
    sum: 0.05 * count,
    bucketCounts: [String(count)],
    explicitBounds: [],
    attributes: [
      { key: 'http.request.method', value: { stringValue: 'GET' } },
      { key: 'http.route', value: { stringValue: '/items' } },
      { key: 'http.response.status_code', value: { intValue: String(status) } },
    ],
  }));
  const histogram = { aggregationTemporality: 1, dataPoints: points };
  const metrics = [{ name: 'http.server.request.duration', unit: 's', histogram }];
  const attributes = [{ key: 'service.name', value: { stringValue: 'basket' } }];
  const body = { resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ metrics }] }] };
  expect((await tocsin.call('POST', '/metrics', { body })).status).toBe(200);
}
