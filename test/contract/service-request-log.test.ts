import { expect, it } from 'vitest';
import { createLogLines } from '../support/log-lines.ts';
import { PUBLIC_URL, startTestService } from '../support/test-service.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

function answeredIn(lines: readonly string[]): Record<string, unknown>[] {
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request answered');
}

it('logs ids, route and status of each request, and nothing of its path', async () => {
  const { logger, lines } = createLogLines();
  await using tocsin = await startTestService({ logger });
  const headers = { 'x-request-id': 'ask-1', traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` };

  await tocsin.call('GET', '/incidents/a-name-somebody-made-up?signals=none', { headers });
  await tocsin.call('GET', '/incidents', { headers: { traceparent: 'nonsense' } });
  await tocsin.call('GET', '/openapi.json', { key: null });
  await tocsin.call('GET', '/nowhere');
  await tocsin.service.fetch(new Request(`${PUBLIC_URL}/dashboard/incidents/7`));

  const told = answeredIn(lines);
  expect(told).toMatchObject([
    { level: 30, requestId: 'ask-1', traceId: TRACE_ID, method: 'GET', route: '/v1/incidents/:id', status: 404 },
    { level: 20, traceId: expect.stringMatching(/^[\da-f]{32}$/), route: '/v1/incidents', status: 200 },
    { route: '/v1/openapi.json', status: 200 },
    { route: 'none', status: 404 },
    { route: '/dashboard/incidents/:reference', status: 302 },
  ]);
  expect(told.every(({ durationMs }) => Number.isInteger(durationMs))).toBe(true);
  expect(lines.join('')).not.toMatch(/somebody-made-up|nonsense|nowhere/);
});
