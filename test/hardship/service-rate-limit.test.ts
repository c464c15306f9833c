import { expect, it } from 'vitest';
import { startTestService } from '../support/test-service.ts';

const alerts = (count: number) => ({
  version: '4',
  status: 'firing',
  alerts: Array.from({ length: count }, (_, index) => ({
    status: 'firing',
    labels: { alertname: `Alert${index}`, service: 'payments' },
    annotations: {},
    startsAt: new Date().toISOString(),
    endsAt: '0001-01-01T00:00:00Z',
    fingerprint: `f${index}`,
  })),
});

it('reports the remaining quota to every caller, also when it refuses', async () => {
  await using tocsin = await startTestService({ rateLimitPerMinute: 60 });

  const first = await tocsin.call('GET', '/incidents');
  const second = await tocsin.call('GET', '/incidents?limit=0');

  expect(first.headers.get('ratelimit-policy')).toBe('"default";q=60;w=60');
  expect(first.headers.get('ratelimit')).toBe('"default";r=59;t=1');
  expect(second.status).toBe(400);
  expect(second.headers.get('ratelimit')).toMatch(/^"default";r=58;t=[12]$/);
});

it('refuses only the key that exceeds its quota, and accepts it again after Retry-After', async () => {
  await using tocsin = await startTestService({ rateLimitPerMinute: 3 });
  const ask = () => tocsin.call('GET', '/incidents');

  const statuses = [(await ask()).status, (await ask()).status, (await ask()).status];
  const refused = await ask();
  const other = await tocsin.call('GET', '/incidents', { key: tocsin.readOnlyKey });
  tocsin.advance(Number(refused.headers.get('retry-after')) * 1_000);
  const later = await ask();

  expect(statuses).toEqual([200, 200, 200]);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: 'rate-limited', status: 429 });
  expect(other.status).toBe(200);
  expect(later.status).toBe(200);
});

it('counts the items of ingest, not its requests, and refills after a debt', async () => {
  await using tocsin = await startTestService({ rateLimitPerMinute: 1 }); // 5,000 items
  const send = (count: number) => tocsin.call('POST', '/alertmanager', { body: alerts(count) });

  const small = await send(1);
  await tocsin.failIn(['payments'], { times: 3_000 });
  const large = await send(4_500);
  const refused = await send(1);
  const reading = await tocsin.call('GET', '/incidents');
  tocsin.advance(Number(refused.headers.get('retry-after')) * 1_000);
  const later = await send(1);

  expect(small.headers.get('ratelimit-policy')).toBe('"ingest";q=5000;w=60');
  expect(small.headers.get('ratelimit')).toMatch(/^"ingest";r=\d+;/);
  expect(large.status).toBe(200);
  expect(large.headers.get('ratelimit')).toMatch(/^"ingest";r=0;/);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
  expect(reading.status).toBe(200);
  expect(later.status).toBe(200);
});

it('sends no quota without a limit', async () => {
  await using tocsin = await startTestService();

  const response = await tocsin.call('GET', '/incidents');

  expect(response.headers.has('ratelimit')).toBe(false);
});
