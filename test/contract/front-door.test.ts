import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { openFrontDoor } from '../../src/app/front-door.ts';

describe('the front door', () => {
  it('is alive and not ready until its parts have started', async () => {
    await using door = await openFrontDoor('127.0.0.1', 0);

    const alive = await fetch(`${door.url}/healthz`);
    const ready = await fetch(`${door.url}/readyz`);

    expect(alive.status).toBe(200);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({
      ready: false,
      checks: [{ name: 'start', ready: false, detail: 'still starting' }],
    });
  });

  it('is ready when all checks pass, and names those that fail', async () => {
    await using door = await openFrontDoor('127.0.0.1', 0);
    let slackReady = true;
    door.handlers.readiness = async () => [
      { name: 'database', ready: true },
      { name: 'slack', ready: slackReady, ...(slackReady ? {} : { detail: 'no answer' }) },
    ];

    const before = await fetch(`${door.url}/readyz`);
    slackReady = false;
    const after = await fetch(`${door.url}/readyz`);

    expect(before.status).toBe(200);
    expect(after.status).toBe(503);
    expect(await after.json()).toMatchObject({ ready: false, checks: [{}, { name: 'slack', detail: 'no answer' }] });
  });

  it('routes each path to its handler', async () => {
    await using door = await openFrontDoor('127.0.0.1', 0);
    door.handlers.service = (request) => new Response(`service ${new URL(request.url).pathname}`);
    door.handlers.slack = (request, response) => {
      response.end(`slack ${request.url}`);
    };
    const read = async (path: string) => (await fetch(`${door.url}${path}`)).text();

    expect(await read('/v1/incidents')).toBe('service /v1/incidents');
    expect(await read('/v2/enqueue')).toBe('service /v2/enqueue');
    expect(await read('/slack/events')).toBe('slack /slack/events');
    expect(await read('/')).toBe('service /dashboard');
  });

  it.each([
    ['a trusted proxy', ['127.0.0.0/8', '192.0.2.7'], '198.51.100.1'],
    ['anybody else', [], '127.0.0.1'],
  ])('takes the address of a client from %s', async (_name, trusted, address) => {
    await using door = await openFrontDoor('127.0.0.1', 0, trusted);
    door.handlers.service = (_request, from) => Response.json(from);

    const headers = { 'x-forwarded-for': '1.1.1.1, 198.51.100.1, 192.0.2.7' };
    const response = await fetch(`${door.url}/v1/incidents`, { headers });

    expect(await response.json()).toEqual({ address });
  });

  it('serves metrics in the format of Prometheus, and a problem if collecting them fails', async () => {
    await using door = await openFrontDoor('127.0.0.1', 0);
    const registry = new Registry();
    new Gauge({ name: 'pulse', help: 'Beats', registers: [registry] }).set(72);
    door.handlers.metrics = registry;

    const answer = await fetch(`${door.url}/metrics`);
    door.handlers.metrics = { contentType: registry.contentType, metrics: () => Promise.reject(new Error('secret')) };
    const failure = await fetch(`${door.url}/metrics`);

    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toBe('# HELP pulse Beats\n# TYPE pulse gauge\npulse 72\n');
    expect(failure.status).toBe(500);
    expect(await failure.text()).not.toContain('secret');
  });

  it('returns a 404 problem for an unknown path', async () => {
    await using door = await openFrontDoor('127.0.0.1', 0);
    Object.assign(door.handlers, { service: null, slack: null });

    const response = await fetch(`${door.url}/slack/events`, { method: 'POST' });

    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not-found' });
  });

  it('returns 503 to Slack while the bot starts, so that Slack retries', async () => {
    await using door = await openFrontDoor('127.0.0.1', 0);

    const early = await fetch(`${door.url}/slack/events`, { method: 'POST', body: 'x'.repeat(100_000) });
    door.handlers.slack = (_request, response) => void response.end('taken');
    const later = await fetch(`${door.url}/slack/events`, { method: 'POST' });

    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '2']);
    expect(early.headers.get('content-type')).toBe('application/problem+json');
    expect(await early.json()).toMatchObject({ code: 'starting' });
    expect(await later.text()).toBe('taken');
  });

  it.each(['/v1/traces', '/v1/alertmanager', '/v2/enqueue', '/api/v2/alerts', '/dashboard', '/anything'])(
    'returns 503 at %s while the service starts, so that senders keep what they have',
    async (path) => {
      await using door = await openFrontDoor('127.0.0.1', 0);
      door.handlers.slack = null;

      const early = await fetch(`${door.url}${path}`, { method: 'POST', body: 'x'.repeat(100_000) });
      door.handlers.service = () => new Response('taken');
      const later = await fetch(`${door.url}${path}`, { method: 'POST' });

      expect([early.status, early.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await early.json()).toMatchObject({ code: 'starting' });
      expect(await later.text()).toBe('taken');
    },
  );

  it.each(['/healthz', '/readyz', '/metrics'])('only lets %s be read', async (path) => {
    await using door = await openFrontDoor('127.0.0.1', 0);

    const posted = await fetch(`${door.url}${path}`, { method: 'POST', body: 'x'.repeat(100_000) });
    const head = await fetch(`${door.url}${path}`, { method: 'HEAD' });

    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect([200, 503]).toContain(head.status);
  });

  it('refuses a request with two hosts', async () => {
    await using door = await openFrontDoor('127.0.0.1', 0);
    door.handlers.service = () => new Response('served');
    const socket = connect(Number(new URL(door.url).port), '127.0.0.1');

    socket.end('GET /v1/incidents HTTP/1.1\r\nHost: one.example\r\nHost: two.example\r\nConnection: close\r\n\r\n');

    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*more than one Host header/s);
  });

  it('reports a port that is in use in one sentence', async () => {
    await using first = await openFrontDoor('127.0.0.1', 0);
    const port = Number(new URL(first.url).port);

    await expect(openFrontDoor('127.0.0.1', port)).rejects.toThrow(
      `port ${port} is in use by another program: stop it, or set PORT to a free port`,
    );
  });

  it('waits for a request in flight before it closes', async () => {
    const door = await openFrontDoor('127.0.0.1', 0);
    const arrived = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    door.handlers.service = async () => {
      arrived.resolve();
      await release.promise;
      return new Response('done');
    };
    const answer = fetch(`${door.url}/v1/incidents`);
    await arrived.promise;

    const closed = door[Symbol.asyncDispose]();
    release.resolve();

    expect(await (await answer).text()).toBe('done');
    await closed;
    await expect(fetch(`${door.url}/healthz`)).rejects.toThrow('fetch failed');
  });

  it('keeps serving without keep-alive after a stop is announced, and reports that it is not ready', async () => {
    await using door = await openFrontDoor('127.0.0.1', 0);
    door.handlers.service = () => new Response('served');
    door.handlers.readiness = async () => [{ name: 'database', ready: true }];
    const before = await fetch(`${door.url}/v1/incidents`);

    door.announceStop();
    const after = await fetch(`${door.url}/v1/incidents`);
    const ready = await fetch(`${door.url}/readyz`);

    expect(before.headers.get('connection')).toBe('keep-alive');
    expect(await after.text()).toBe('served');
    expect(after.headers.get('connection')).toBe('close');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({
      ready: false,
      checks: [{ name: 'process', ready: false, detail: 'stopping' }],
    });
    expect((await fetch(`${door.url}/healthz`)).status).toBe(200);
  });

  it('resets no kept connection when it closes: the answer to its next request says that it closes', async () => {
    const door = await openFrontDoor('127.0.0.1', 0);
    door.handlers.service = () => new Response('served');
    const agents = Array.from({ length: 20 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const sendAll = () => Promise.all(agents.map((agent) => send(`${door.url}/v1/x`, agent)));

    const before = await sendAll();
    door.announceStop();
    const closed = door[Symbol.asyncDispose]();
    const after = await sendAll();
    await closed;

    expect(before).toEqual(agents.map(() => '200 keep-alive'));
    expect(after).toEqual(agents.map(() => '503 close'));
  });

  it('rejects new requests with Retry-After while it waits for requests in flight', async () => {
    const door = await openFrontDoor('127.0.0.1', 0);
    const arrived = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    door.handlers.service = async () => {
      arrived.resolve();
      await release.promise;
      return new Response('done');
    };
    const answer = fetch(`${door.url}/v1/incidents`);
    await arrived.promise;

    const closed = door[Symbol.asyncDispose]();
    const refused = await fetch(`${door.url}/v1/traces`, { method: 'POST', body: 'x'.repeat(100_000) });
    const ready = await fetch(`${door.url}/readyz`);
    release.resolve();

    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(refused.headers.get('connection')).toBe('close');
    expect(await refused.json()).toMatchObject({ code: 'stopping' });
    expect(await ready.json()).toMatchObject({ checks: [{ detail: 'stopping' }] });
    expect(await (await answer).text()).toBe('done');
    await closed;
  });
});

/** @returns the status and what becomes of the connection, or the code of the error */
function send(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      const { statusCode, headers } = response;
      response.resume().once('end', () => resolve(`${statusCode} ${headers.connection}`));
    }).once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}
