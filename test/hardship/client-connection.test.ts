import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { Agent, MockAgent } from 'undici';
import { describe, expect, it } from 'vitest';
import { createServiceClient } from '../../src/client/service-client.ts';
import { API_KEY, clientOf, disposable, drop, failure, reply, SIGNAL } from '../contract/client-fixture.ts';
import { startLoopback } from '../support/loopback.ts';

describe('the API key', () => {
  const echoes: [string, (response: ServerResponse) => unknown][] = [
    ['text', reply(401, `unknown key ${API_KEY}`)],
    ['JSON', reply(400, JSON.stringify({ error: { message: `Bearer ${API_KEY}` }, title: API_KEY, code: API_KEY }))],
    ['escaped JSON', reply(400, `{"detail": "${API_KEY.replace('t', '\\u0074')}"}`)],
    ['a page', reply(500, `<html><body>${API_KEY}</body></html>`)],
    ['a success that is no JSON', reply(200, `{"${API_KEY}`)],
    ['a success of the wrong kind', reply(200, JSON.stringify({ id: 1, type: API_KEY, [API_KEY]: API_KEY }))],
    ['a cut connection', drop],
  ];

  it.each(echoes)('is in no error, even if the service echoes it in %s', async (_, respond) => {
    await using server = await startLoopback(respond);
    await using calls = clientOf(server);

    expect(everythingIn(await failure(calls.client.getSignal('5')))).not.toContain(API_KEY);
  });

  it('is in no error and no cause, even if the dispatcher reports it', async () => {
    const dispatcher = new MockAgent();
    dispatcher.disableNetConnect();
    dispatcher
      .get('http://service.test')
      .intercept({ path: '/v1/signals/5' })
      .replyWithError(new Error('failed', { cause: { headers: [`Bearer ${API_KEY}`] } }));
    await using calls = clientOf({ url: 'http://service.test' }, { dispatcher });

    expect(everythingIn(await failure(calls.client.getSignal('5')))).not.toContain(API_KEY);
    expect(everythingIn(await failure(calls.client.getSignal('not intercepted')))).not.toContain(API_KEY);
    await dispatcher.close();
  });

  it('is not visible when the client is printed', async () => {
    await using calls = clientOf({ url: 'http://service.test' });

    expect(inspect(calls.client, { depth: Infinity, showHidden: true })).not.toContain(API_KEY);
  });

  it.each(['', 'with\nnewline', 'with space', 'schlüssel'])(
    'is rejected at once if it is not allowed in a header: %j',
    (key) => {
      const create = () => createServiceClient({ baseUrl: 'http://service.test/v1', apiKey: key });

      expect(create).toThrow(/^the API key is empty or contains a character that is not allowed in a header$/);
    },
  );

  it('is sent only in the Authorization header', async () => {
    const seen: unknown[] = [];
    await using server = await startLoopback((response, request) => {
      seen.push(request.headers.authorization, request.url);
      reply(200, SIGNAL)(response);
    });
    await using calls = clientOf(server);

    await calls.client.getSignal('5');

    expect(seen).toEqual([`Bearer ${API_KEY}`, '/v1/signals/5']);
  });
});

describe('the connection', () => {
  it('is reused', async () => {
    await using server = await startLoopback(reply(200, SIGNAL));
    await using calls = clientOf(server);

    for (let count = 0; count < 20; count += 1) {
      await calls.client.getSignal('5');
    }

    // Two, because undici opens another one if the first is still busy with the previous response.
    expect(server.connectionCount).toBeLessThanOrEqual(2);
  });

  it('is closed with the client, unless the dispatcher was given', async () => {
    await using server = await startLoopback(reply(200, SIGNAL));
    await using shared = disposable(new Agent());
    const own = createServiceClient({ baseUrl: server.url, apiKey: API_KEY });
    const borrowing = createServiceClient({ baseUrl: server.url, apiKey: API_KEY, dispatcher: shared.agent });
    await own[Symbol.asyncDispose]();
    await borrowing[Symbol.asyncDispose]();

    expect(await failure(own.getSignal('5'))).toMatchObject({ name: 'ServiceUnreachableError', effect: 'not-sent' });
    expect(await borrowing.getSignal('5')).toMatchObject({ id: '5' });
  });
});

describe('the address', () => {
  it.each(['/v1', '/v1/', '/deep/er/v1//', ''])('may end in %j', async (suffix) => {
    await using server = await startLoopback(reply(200, SIGNAL));
    await using client = createServiceClient({ baseUrl: server.url + suffix, apiKey: API_KEY });

    await client.getSignal('5');

    expect(server.requests).toEqual([`GET ${suffix.replace(/\/+$/, '')}/signals/5`]);
  });

  it.each(['', 'service.test/v1', 'ftp://service.test/v1'])('is refused when it is %j', (baseUrl) => {
    expect(() => createServiceClient({ baseUrl, apiKey: API_KEY })).toThrow(/must be an http or https URL/);
  });

  it('encodes any id', async () => {
    await using server = await startLoopback(reply(200, SIGNAL));
    await using calls = clientOf(server);

    await calls.client.getSignal('../a b/ü?x=1#142$&');

    expect(server.requests).toEqual(['GET /v1/signals/..%2Fa%20b%2F%C3%BC%3Fx%3D1%23142%24%26']);
  });

  it.each(['', '.', '..'])('is not requested for the id %j, which cannot be part of a path', async (id) => {
    await using server = await startLoopback(reply(200, SIGNAL));
    await using calls = clientOf(server);

    expect(await failure(calls.client.acknowledgeIncident(id, { user: 'ana' }))).toMatchObject({ status: 404 });
    expect(server.requests).toEqual([]);
  });
});

function everythingIn(error: Error): string {
  return [inspect(error, { depth: Infinity, showHidden: true }), JSON.stringify(error), error.stack].join('\n');
}

it('sends each call in its own trace and each attempt in its own span, and reports the trace on failure', async () => {
  const seen: string[] = [];
  await using server = await startLoopback((response, request) => {
    seen.push(String(request.headers.traceparent));
    reply(503)(response);
  });
  await using calls = clientOf(server);

  const { traceId } = await failure(calls.client.getSignal('5'));
  await failure(calls.client.getSignal('5'));

  const traces = seen.map((traceparent) => /^00-([\da-f]{32})-[\da-f]{16}-01$/.exec(traceparent)?.[1]);
  expect(traces).toHaveLength(6);
  expect(new Set(seen).size).toBe(6);
  expect(traces.slice(0, 3)).toEqual([traceId, traceId, traceId]);
  expect(new Set(traces).size).toBe(2);
});
