import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { expect, it, onTestFinished } from 'vitest';
import { startOtlpReceiver } from '../../examples/shop/otlp-receiver.ts';
import { startOwnTraces } from '../../src/app/own-traces.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogLines } from '../support/log-lines.ts';
import { silentLogger } from '../support/logger.ts';
import { withRealTeam } from '../support/real-team.ts';
import { startTestService } from '../support/test-service.ts';

const PARENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

const settings = (endpoint: string, more: Record<string, string> = {}) =>
  readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...more }, []).ownTraces;

it('sends spans of requests, batches, correlation and Slack calls to an OTLP receiver', async () => {
  await using receiver = await startOtlpReceiver();
  {
    await using _traces = await startOwnTraces(settings(receiver.endpoint), silentLogger);
    await withRealTeam(async (team, service) => {
      await service.failIn(['payments']);
      await service.openIncident();
      await team.card(/payments/);
      await service.call('GET', '/incidents', {
        headers: { traceparent: `00-${PARENT.traceId}-${PARENT.spanId}-01` },
      });
      await service.call('GET', '/incidents/inc_none');
    });
  } // sends what is left

  const named = (name: string) => receiver.spans.find((span) => span.name === name);
  expect(new Set(receiver.spans.map(({ service }) => service))).toEqual(new Set(['tocsin']));
  expect(named('POST /v1/traces')).toMatchObject({
    kind: 'server',
    isError: false,
    attributes: { 'http.route': '/v1/traces', 'http.response.status_code': 200 },
  });
  expect(named('store batch')?.parentSpanId).toBe(named('POST /v1/traces')?.spanId);
  expect(named('correlate')?.attributes).toMatchObject({ 'tocsin.incidents_opened': 1 });
  expect(named('Slack chat.postMessage')).toMatchObject({ kind: 'client', isError: false });
  expect(
    receiver.spans.some(
      ({ traceId, parentSpanId, name }) =>
        name === 'GET /v1/incidents' && traceId === PARENT.traceId && parentSpanId === PARENT.spanId,
    ),
  ).toBe(true);
});

it('comes to rest when Tocsin receives its own spans', async () => {
  await using service = await startTestService();
  const bodies: string[] = [];
  const server = createAdaptorServer({
    fetch(request) {
      bodies.push(new URL(request.url).pathname);
      const headers = new Headers(request.headers);
      headers.set('authorization', `Bearer ${service.readWriteKey}`); // as OTEL_EXPORTER_OTLP_HEADERS does
      return service.service.fetch(new Request(request, { headers }));
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  {
    await using _traces = await startOwnTraces(settings(`http://127.0.0.1:${port}`), silentLogger);
    await service.call('GET', '/incidents');
    await expect.poll(() => bodies.length).toBe(1); // sent after five seconds
  } // would send the span of that request

  expect(bodies).toEqual(['/v1/traces']);
});

it('says once that a receiver refuses, and drops the spans', async () => {
  const { logger, lines } = createLogLines();
  await using receiver = await startOtlpReceiver();
  receiver.answerWith(400);
  await using service = await startTestService();
  {
    await using _traces = await startOwnTraces(settings(receiver.endpoint), logger);
    await service.call('GET', '/incidents');
  }

  expect(lines).toEqual([expect.stringContaining('traces of Tocsin itself cannot be sent; they are dropped')]);
});

it('traces nothing by default, when disabled, and with a protocol that it does not have', async () => {
  const { logger, lines } = createLogLines();

  expect(readConfig({}, []).ownTraces).toBeNull();
  expect(settings('http://127.0.0.1:4318', { OTEL_SDK_DISABLED: 'true' })).toBeNull();
  const grpc = settings('http://127.0.0.1:4317', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
  expect(await startOwnTraces(grpc, logger)).toBeNull();

  expect(lines).toEqual([expect.stringContaining('http/protobuf only')]);
});

it('sends the share of traces that OTEL_TRACES_SAMPLER asks for', async () => {
  await using receiver = await startOtlpReceiver();
  await using service = await startTestService();
  {
    const none = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    await using _traces = await startOwnTraces(settings(receiver.endpoint, none), silentLogger);
    await service.call('GET', '/incidents');
    await service.call('GET', '/signals', {
      headers: { traceparent: `00-${PARENT.traceId}-${PARENT.spanId}-01` },
    });
  }

  expect(receiver.spans.map(({ name }) => name)).toEqual(['GET /v1/signals']);
});
