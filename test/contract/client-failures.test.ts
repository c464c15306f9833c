import type { ServerResponse } from 'node:http';
import { Agent, buildConnector } from 'undici';
import { describe, expect, it } from 'vitest';
import { ContractViolationError, ServiceResponseError, ServiceUnreachableError } from '../../src/client/errors.ts';
import { createServiceClient, type ServiceClient } from '../../src/client/service-client.ts';
import { startLoopback } from '../support/loopback.ts';
import { API_KEY, clientOf, disposable, drop, failure, inTurn, reply, SIGNAL } from './client-fixture.ts';

const WRITES: [string, (client: ServiceClient) => Promise<unknown>][] = [
  ['acknowledge', (client) => client.acknowledgeIncident('7', { user: 'ana' })],
  ['resolve', (client) => client.resolveIncident('7', { resolutionNote: 'rolled back', user: 'ana' })],
  ['create', (client) => client.createIntegration({ type: 'slack', config: { team_id: 'T1', app_id: 'A1' } })],
];

/** A port on which nobody listens any more. */
async function closedPort(): Promise<{ url: string }> {
  await using server = await startLoopback(reply(200));
  return { url: server.url };
}

describe('a service that gives no answer', () => {
  it('is unreachable, not a status, when nobody listens: tried three times, nothing was sent', async () => {
    await using calls = clientOf(await closedPort());

    const error = await failure(calls.client.getSignal('5'));

    expect(error).toBeInstanceOf(ServiceUnreachableError);
    expect(error).toMatchObject({ effect: 'not-sent', retryable: true, call: 'GET /signals/5' });
    expect(error).not.toHaveProperty('status');
    expect(error.message).toMatch(/^GET \/signals\/5: no response from http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)$/);
    expect(calls.pausesMs).toEqual([100, 200]);
  });

  it.each(WRITES)('gets an %s again while no connection stands, since nothing was sent', async (_, write) => {
    await using calls = clientOf(await closedPort());

    expect(await failure(write(calls.client))).toMatchObject({ effect: 'not-sent', retryable: true });
    expect(calls.pausesMs).toHaveLength(2);
  });

  it.each([
    ['keeps silent', () => undefined],
    ['stops in the middle of its answer', (response: ServerResponse) => response.writeHead(200).write('{"id": ')],
  ])('is unreachable in time when it %s', async (_, respond) => {
    await using server = await startLoopback(respond);
    await using calls = clientOf(server, { timeoutMs: 300 });

    const error = await failure(calls.client.getSignal('5'));

    expect(error).toBeInstanceOf(ServiceUnreachableError);
    expect(error.message).toContain('within 0.3 s');
    expect(server.requests).toHaveLength(1);
  });

  it.each([502, 503, 504])(
    'is left alone after three calls that ended in %i, so that nobody waits for it',
    async (status) => {
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
    },
  );

  it.each([404, 500, 501])('is not left alone for answering %i to one thing that it is asked', async (status) => {
    await using server = await startLoopback((response, request) =>
      reply(request.url === '/v1/signals/5' ? status : 200, SIGNAL)(response),
    );
    await using calls = clientOf(server);
    for (let call = 0; call < 5; call += 1) {
      await failure(calls.client.getSignal('5'));
    }

    expect(await calls.client.getSignal('6')).toMatchObject({ id: '5' });
  });

  it('is unreachable in time, and was sent nothing, when the connection hangs', async () => {
    await using dispatcher = disposable(new Agent({ connect: () => undefined }));
    await using calls = clientOf({ url: 'http://127.0.0.1' }, { timeoutMs: 60, dispatcher: dispatcher.agent });

    const error = await failure(calls.client.acknowledgeIncident('7', { user: 'ana' }));

    expect(error).toMatchObject({ name: 'ServiceUnreachableError', effect: 'not-sent' });
  });

  it('is asked again when it cuts a read, also in the middle of the answer', async () => {
    const truncate = (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': SIGNAL.length });
      response.write(SIGNAL.slice(0, 9), () => response.destroy());
    };
    await using server = await startLoopback(inTurn(drop, truncate, reply(200, SIGNAL)));
    await using calls = clientOf(server);

    expect(await calls.client.getSignal('5')).toMatchObject({ id: '5' });
    expect(server.requests).toHaveLength(3);
  });

  it.each(WRITES)('is not sent an %s twice when it may have happened, and the error says so', async (_, write) => {
    await using server = await startLoopback(drop);
    await using calls = clientOf(server);

    const error = await failure(write(calls.client));

    expect(error).toMatchObject({ name: 'ServiceUnreachableError', effect: 'unknown', retryable: false });
    expect(server.requests).toHaveLength(1);
  });

  it('is sent a removal again, and that it is gone by then is success', async () => {
    await using server = await startLoopback(inTurn(drop, reply(404)));
    await using calls = clientOf(server);

    await calls.client.deleteIntegration('3');

    expect(server.requests).toEqual(['DELETE /v1/integrations/3', 'DELETE /v1/integrations/3']);
  });
});

describe('a removal that was cut, and then found nobody', () => {
  it('may have happened all the same', async () => {
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

describe('a service that answers with an error', () => {
  it.each([408, 429, 500, 502, 503, 504])(
    'is asked again after a %i to a read, with pauses that grow',
    async (status) => {
      await using server = await startLoopback(inTurn(reply(status), reply(status), reply(200, SIGNAL)));
      await using calls = clientOf(server);

      expect(await calls.client.getSignal('5')).toMatchObject({ id: '5' });
      expect(calls.pausesMs).toEqual([100, 200]);
    },
  );

  it('is asked three times and no more', async () => {
    await using server = await startLoopback(reply(503, 'out of memory'));
    await using calls = clientOf(server);

    const error = await failure(calls.client.getSignal('5'));

    expect(error).toBeInstanceOf(ServiceResponseError);
    expect(error).toMatchObject({ status: 503, retryable: true, problem: { detail: 'out of memory' } });
    expect(error.message).toBe('GET /signals/5: the service answered 503 Service Unavailable: out of memory');
    expect(server.requests).toHaveLength(3);
  });

  it.each([302, 400, 401, 403, 404, 409, 422])('is believed at once when it says %i', async (status) => {
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

  it.each(WRITES)('is sent an %s again after a 429, which did nothing', async (_, write) => {
    await using server = await startLoopback(inTurn(reply(429, '', { 'retry-after': '1' }), reply(204)));
    await using calls = clientOf(server);

    expect(await write(calls.client)).toBeNull();
    expect(calls.pausesMs).toEqual([1_000]);
  });

  it.each([
    ['seconds', '2'],
    ['a date', 'Sat, 21 Nov 2026 10:00:02 GMT'],
  ])('is given the pause it asks for in %s', async (_, retryAfter) => {
    await using server = await startLoopback(inTurn(reply(503, '', { 'retry-after': retryAfter }), reply(200, SIGNAL)));
    await using calls = clientOf(server, { now: () => new Date('2026-11-21T10:00:00Z') });

    await calls.client.getSignal('5');

    expect(calls.pausesMs).toEqual([2_000]);
  });

  it('is not waited for when it asks for more time than the call has', async () => {
    await using server = await startLoopback(reply(429, '', { 'retry-after': '60' }));
    await using calls = clientOf(server);

    const error = await failure(calls.client.getSignal('5'));

    expect(error).toMatchObject({ status: 429, retryAfterSeconds: 60, retryable: true });
    expect(calls.pausesMs).toEqual([]);
  });

  it('is not waited for by a client that is being closed', async () => {
    await using server = await startLoopback(reply(503, '', { 'retry-after': '5' }));
    const client = createServiceClient({ baseUrl: server.url, apiKey: API_KEY });
    const failed = failure(client.getSignal('5'));
    await expect.poll(() => server.requests).toHaveLength(1);

    await client[Symbol.asyncDispose]();

    expect(await failed).toMatchObject({ status: 503 });
  });

  it('says that there was nothing to remove when it never was there', async () => {
    await using server = await startLoopback(reply(404));
    await using calls = clientOf(server);

    expect(await failure(calls.client.deleteIntegration('3'))).toMatchObject({ status: 404 });
  });
});

describe('a service that breaks the contract', () => {
  it.each([
    ['a web page', '<!doctype html><title>Sign in</title>', 'the response is not JSON'],
    ['nothing', '', 'the response is empty'],
    ['cut JSON', '{"id": 5', 'the response is not JSON'],
    ['another thing', '{"id": 5, "type": "span"}', 'at type'],
  ])('is told so, and not asked again, when its success is %s', async (_, body, reason) => {
    await using server = await startLoopback(reply(200, body, { 'content-type': 'text/html' }));
    await using calls = clientOf(server);

    const error = await failure(calls.client.getSignal('5'));

    expect(error).toBeInstanceOf(ContractViolationError);
    expect(error.message).toMatch(/^GET \/signals\/5: /);
    expect(error.message).toContain(reason);
    expect(error.retryable).toBe(false);
    expect(server.requests).toHaveLength(1);
  });

  it('is not believed to have acknowledged when it shows a web page', async () => {
    await using server = await startLoopback(reply(200, '\n<html>Sign in</html>'));
    await using calls = clientOf(server);

    const error = await failure(calls.client.acknowledgeIncident('7', { user: 'ana' }));

    expect(error).toMatchObject({ name: 'ContractViolationError', effect: 'unknown' });
  });

  it.each(['', 'OK', '{}', '{"ok": true}', 'null', '[]'])('may answer a write with %j', async (body) => {
    await using server = await startLoopback(reply(200, body));
    await using calls = clientOf(server);

    expect(await calls.client.acknowledgeIncident('7', { user: 'ana' })).toBeNull();
  });

  it('cannot flood us', async () => {
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
