import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Agent, buildConnector } from 'undici';
import { describe, expect, it } from 'vitest';
import { ContractViolationError, ServiceResponseError, ServiceUnreachableError } from '../../src/client/errors.ts';
import { createServiceClient, type ServiceClient } from '../../src/client/service-client.ts';
import { API_KEY, clientOf, disposable, drop, failure, inTurn, reply, SIGNAL } from '../contract/client-fixture.ts';
import { startLoopback } from '../support/loopback.ts';

const WRITES: [string, (client: ServiceClient) => Promise<unknown>][] = [
  ['acknowledge', (client) => client.acknowledgeIncident('7', { user: 'ana' })],
  ['resolve', (client) => client.resolveIncident('7', { resolutionNote: 'rolled back', user: 'ana' })],
  ['create', (client) => client.createIntegration({ type: 'slack', config: { team_id: 'T1', app_id: 'A1' } })],
];

/** A port that no longer has a listener. */
async function closedPort(): Promise<{ url: string }> {
  await using server = await startLoopback(reply(200));
  return { url: server.url };
}

describe('a service that does not respond', () => {
  it('is unreachable after three attempts if nothing listens, with the effect not-sent', async () => {
    await using calls = clientOf(await closedPort());

    const error = await failure(calls.client.getSignal('5'));

    expect(error).toBeInstanceOf(ServiceUnreachableError);
    expect(error).toMatchObject({ effect: 'not-sent', retryable: true, call: 'GET /signals/5' });
    expect(error).not.toHaveProperty('status');
    expect(error.message).toMatch(/^GET \/signals\/5: no response from http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)$/);
    expect(calls.pausesMs).toEqual([100, 200]);
  });

  it.each(WRITES)('is sent an %s again if no connection was made, since nothing was sent', async (_, write) => {
    await using calls = clientOf(await closedPort());

    expect(await failure(write(calls.client))).toMatchObject({ effect: 'not-sent', retryable: true });
    expect(calls.pausesMs).toHaveLength(2);
  });

  it.each([
    ['sends nothing', () => undefined],
    ['stops in the middle of its response', (response: ServerResponse) => response.writeHead(200).write('{"id": ')],
  ])('is unreachable after the timeout if it %s', async (_, respond) => {
    await using server = await startLoopback(respond);
    await using calls = clientOf(server, { timeoutMs: 300 });

    const error = await failure(calls.client.getSignal('5'));

    expect(error).toBeInstanceOf(ServiceUnreachableError);
    expect(error.message).toContain('within 0.3 s');
    expect(server.requests).toHaveLength(1);
  });

  it.each([502, 503, 504])('opens the circuit breaker after three calls that ended with %i', async (status) => {
    await using server = await startLoopback(reply(status));
    await using calls = clientOf(server);
    for (let call = 0; call < 3; call += 1) {
      await failure(calls.client.getSignal('5'));
    }
    const asked = server.requests.length;

    const error = await failure(calls.client.acknowledgeIncident('7', { user: 'ana' }));

    expect(error).toBeInstanceOf(ServiceUnreachableError);
    expect(error).toMatchObject({ effect: 'not-sent', retryable: true });
    expect(server.requests).toHaveLength(asked);
  });

  it('is asked again while an earlier request with the same key is under way, and then shows no old state', async () => {
    const inFlight = JSON.stringify({ status: 409, code: 'request-in-flight' });
    const facts = { status: 'open', signal_count: 1, root_service: 'payments', opened_at: '2026-01-31T08:00:00Z' };
    const incident = JSON.stringify({ id: '7', ...facts });
    const replayed = { 'idempotent-replayed': 'true' };
    await using server = await startLoopback(inTurn(reply(409, inFlight), reply(200, incident, replayed)));
    await using calls = clientOf(server);

    const shown = await calls.client.acknowledgeIncident('7', { user: 'ana', idempotencyKey: 'k1' });

    expect(shown).toBeNull();
    expect(server.requests).toEqual(Array(2).fill('POST /v1/incidents/7/acknowledge'));
  });

  it('is told until when a write counts, by its own clock, and is asked again when that was too early', async () => {
    const deadlines: (string | undefined)[] = [];
    const times = ['2026-01-31T08:00:00.000Z', '2026-01-31T09:00:00.000Z', '2026-01-31T09:00:00.000Z'];
    await using server = await startLoopback((response, request) => {
      deadlines.push(request.headers['tocsin-deadline']?.toString());
      const expired = JSON.stringify({ status: 412, code: 'request-expired' });
      const headers = { 'tocsin-time': times[deadlines.length - 1] ?? '' };
      return deadlines.length === 2 ? reply(412, expired, headers)(response) : reply(200, SIGNAL, headers)(response);
    });
    await using calls = clientOf(server, { timeoutMs: 10_000, elapsedMs: () => 0 });
    await calls.client.getSignal('5');

    await calls.client.acknowledgeIncident('7', { user: 'ana' });

    expect(deadlines).toEqual([undefined, '2026-01-31T08:00:10.000Z', '2026-01-31T09:00:10.000Z']);
  });

  it.each([404, 500, 501])('does not open the circuit breaker by responding with %i', async (status) => {
    await using server = await startLoopback((response, request) =>
      reply(request.url === '/v1/signals/5' ? status : 200, SIGNAL)(response),
    );
    await using calls = clientOf(server);
    for (let call = 0; call < 5; call += 1) {
      await failure(calls.client.getSignal('5'));
    }

    expect(await calls.client.getSignal('6')).toMatchObject({ id: '5' });
  });

  it('is unreachable after the timeout, with the effect not-sent, if the connection hangs', async () => {
    await using dispatcher = disposable(new Agent({ connect: () => undefined }));
    await using calls = clientOf({ url: 'http://127.0.0.1' }, { timeoutMs: 60, dispatcher: dispatcher.agent });

    const error = await failure(calls.client.acknowledgeIncident('7', { user: 'ana' }));

    expect(error).toMatchObject({ name: 'ServiceUnreachableError', effect: 'not-sent' });
  });

  it('is sent a read again if the connection breaks, even in the middle of the response', async () => {
    const truncate = (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': SIGNAL.length });
      response.write(SIGNAL.slice(0, 9), () => response.destroy());
    };
    await using server = await startLoopback(inTurn(drop, truncate, reply(200, SIGNAL)));
    await using calls = clientOf(server);

    expect(await calls.client.getSignal('5')).toMatchObject({ id: '5' });
    expect(server.requests).toHaveLength(3);
  });

  it.each(WRITES)('is not sent an %s again if it may have happened, and the error says so', async (_, write) => {
    await using server = await startLoopback(drop);
    await using calls = clientOf(server);

    const error = await failure(write(calls.client));

    expect(error).toMatchObject({ name: 'ServiceUnreachableError', effect: 'unknown', retryable: false });
    expect(server.requests).toHaveLength(1);
  });

  it('is sent a deletion again, and a 404 then counts as success', async () => {
    await using server = await startLoopback(inTurn(drop, reply(404)));
    await using calls = clientOf(server);

    await calls.client.deleteIntegration('3');

    expect(server.requests).toEqual(['DELETE /v1/integrations/3', 'DELETE /v1/integrations/3']);
  });
});

describe('a deletion that is interrupted, with the service down for its retry', () => {
  it('may have happened', async () => {
    await using server = await startLoopback(drop);
    const connect = buildConnector({});
    let connections = 0;
    const connectOnce: buildConnector.connector = (options, callback) => {
      connections += 1;
      return connections === 1 ? connect(options, callback) : callback(new Error('nobody listens'), null);
    };
    await using dispatcher = disposable(new Agent({ connect: connectOnce }));
    await using calls = clientOf(server, { dispatcher: dispatcher.agent });

    expect(await failure(calls.client.deleteIntegration('3'))).toMatchObject({ effect: 'unknown', retryable: true });
    expect(connections).toBeGreaterThan(1);
  });
});

describe('a service that responds with an error', () => {
  it.each([408, 429, 500, 502, 503, 504])('is sent a read again after a %i, with growing delays', async (status) => {
    await using server = await startLoopback(inTurn(reply(status), reply(status), reply(200, SIGNAL)));
    await using calls = clientOf(server);

    expect(await calls.client.getSignal('5')).toMatchObject({ id: '5' });
    expect(calls.pausesMs).toEqual([100, 200]);
  });

  it('is called at most three times', async () => {
    await using server = await startLoopback(reply(503, 'out of memory'));
    await using calls = clientOf(server);

    const error = await failure(calls.client.getSignal('5'));

    expect(error).toBeInstanceOf(ServiceResponseError);
    expect(error).toMatchObject({ status: 503, retryable: true, problem: { detail: 'out of memory' } });
    expect(error.message).toBe('GET /signals/5: the service answered 503 Service Unavailable: out of memory');
    expect(server.requests).toHaveLength(3);
  });

  it.each([302, 400, 401, 403, 404, 409, 422])('is not called again after a %i', async (status) => {
    await using server = await startLoopback(reply(status, '', { location: '/elsewhere' }));
    await using calls = clientOf(server);

    const error = await failure(calls.client.getSignal('5'));

    expect(error).toMatchObject({ name: 'ServiceResponseError', status, retryable: false, effect: 'refused' });
    expect(server.requests).toHaveLength(1);
  });

  it.each([408, 500, 503])('is not sent a write again after a %i', async (status) => {
    await using server = await startLoopback(reply(status));
    await using calls = clientOf(server);

    const error = await failure(calls.client.acknowledgeIncident('7', { user: 'ana' }));

    expect(error).toMatchObject({ retryable: false, effect: status < 500 ? 'refused' : 'unknown' });
    expect(server.requests).toHaveLength(1);
  });

  it.each(WRITES)('is sent an %s again after a 429, which had no effect', async (_, write) => {
    await using server = await startLoopback(inTurn(reply(429, '', { 'retry-after': '1' }), reply(204)));
    await using calls = clientOf(server);

    expect(await write(calls.client)).toBeNull();
    expect(calls.pausesMs).toEqual([1_000]);
  });

  it.each([
    ['seconds', '2'],
    ['a date', 'Sat, 21 Nov 2026 10:00:02 GMT'],
  ])('is called again after the delay that it asks for in %s', async (_, retryAfter) => {
    await using server = await startLoopback(inTurn(reply(503, '', { 'retry-after': retryAfter }), reply(200, SIGNAL)));
    await using calls = clientOf(server, { now: () => new Date('2026-11-21T10:00:00Z') });

    await calls.client.getSignal('5');

    expect(calls.pausesMs).toEqual([2_000]);
  });

  it('fails the call at once if it asks for a longer delay than the timeout', async () => {
    await using server = await startLoopback(reply(429, '', { 'retry-after': '60' }));
    await using calls = clientOf(server);

    const error = await failure(calls.client.getSignal('5'));

    expect(error).toMatchObject({ status: 429, retryAfterSeconds: 60, retryable: true });
    expect(calls.pausesMs).toEqual([]);
  });

  it('fails the call at once while the client is closing', async () => {
    await using server = await startLoopback(reply(503, '', { 'retry-after': '5' }));
    const client = createServiceClient({ baseUrl: server.url, apiKey: API_KEY });
    const failed = failure(client.getSignal('5'));
    await expect.poll(() => server.requests).toHaveLength(1);

    await client[Symbol.asyncDispose]();

    expect(await failed).toMatchObject({ status: 503 });
  });

  it('fails a deletion with 404 if the item never existed', async () => {
    await using server = await startLoopback(reply(404));
    await using calls = clientOf(server);

    expect(await failure(calls.client.deleteIntegration('3'))).toMatchObject({ status: 404 });
  });
});

describe('a service behind a proxy', () => {
  it('may compress what is not asked for plain', async () => {
    await using server = await startLoopback((response, request) =>
      request.headers['accept-encoding'] === 'identity'
        ? response.end(SIGNAL)
        : response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(SIGNAL)),
    );
    await using calls = clientOf(server);

    expect(await calls.client.getSignal('5')).toMatchObject({ id: '5' });
  });

  it('may begin its response with a byte order mark, and pad it to 5 MB', async () => {
    await using server = await startLoopback(reply(200, `\ufeff${SIGNAL}${' '.repeat(5_000_000)}`));
    await using calls = clientOf(server);

    expect(await calls.client.getSignal('5')).toMatchObject({ id: '5' });
  });
});

describe('a service that breaks the contract', () => {
  it.each([
    ['a web page', '<!doctype html><title>Sign in</title>', 'the response is not JSON'],
    ['nothing', '', 'the response is empty'],
    ['cut JSON', '{"id": 5', 'the response is not JSON'],
    ['another thing', '{"id": 5, "type": "span"}', 'at type'],
  ])('fails the call without a retry if its 2xx response is %s', async (_, body, reason) => {
    await using server = await startLoopback(reply(200, body, { 'content-type': 'text/html' }));
    await using calls = clientOf(server);

    const error = await failure(calls.client.getSignal('5'));

    expect(error).toBeInstanceOf(ContractViolationError);
    expect(error.message).toMatch(/^GET \/signals\/5: /);
    expect(error.message).toContain(reason);
    expect(error.retryable).toBe(false);
    expect(server.requests).toHaveLength(1);
  });

  it('has not acknowledged if it responds with a web page', async () => {
    await using server = await startLoopback(reply(200, '\n<html>Sign in</html>'));
    await using calls = clientOf(server);

    const error = await failure(calls.client.acknowledgeIncident('7', { user: 'ana' }));

    expect(error).toMatchObject({ name: 'ContractViolationError', effect: 'unknown' });
  });

  it.each(['', 'OK', '{}', '{"ok": true}', 'null', '[]'])('may respond to a write with %j', async (body) => {
    await using server = await startLoopback(reply(200, body));
    await using calls = clientOf(server);

    expect(await calls.client.acknowledgeIncident('7', { user: 'ana' })).toBeNull();
  });

  it('cannot send unlimited data', async () => {
    const flood = (response: ServerResponse) => {
      const chunk = Buffer.alloc(4 * 1024 * 1024, ' ');
      const pour = () => response.write(chunk, (error) => error ?? pour());
      pour();
    };
    await using server = await startLoopback(flood);
    await using calls = clientOf(server);

    expect(await failure(calls.client.getSignal('5'))).toMatchObject({
      name: 'ContractViolationError',
      message: expect.stringContaining('longer than'),
    });
  });
});
