import { Agent } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type FrontDoor, openFrontDoor } from '../../src/app/front-door.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { disposable } from './client-fixture.ts';

/** Requests that need a socket: without a body, and with a body of unknown length. */
let tocsin: TestService;
let door: FrontDoor;

beforeAll(async () => {
  tocsin = await startTestService();
  door = await openFrontDoor('127.0.0.1', 0);
  door.handlers.service = tocsin.service.fetch;
});
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await tocsin[Symbol.asyncDispose]();
});

function send(method: string, path: string, body: ReadableStream | null): Promise<Response> {
  return fetch(`${door.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${tocsin.readWriteKey}`, 'content-type': 'application/json' },
    ...(body === null ? {} : { body, duplex: 'half' }),
  });
}

function inPieces(...pieces: readonly string[]): ReadableStream {
  return ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));
}

it('accepts a body in chunks, and deletes without a body', async () => {
  const created = await send(
    'POST',
    '/integrations',
    inPieces('{"type":"slack","config":', '{"team_id":"T1","app_id":"A1"}}'),
  );
  const { id } = z.object({ id: z.string() }).parse(await created.json());

  const deleted = await send('DELETE', `/integrations/${id}`, null);

  expect(created.status).toBe(201);
  expect(deleted.status).toBe(204);
});

it('refuses a body that grows beyond the limit, however it is sent', async () => {
  const piece = 'x'.repeat(64 * 1024);
  const response = await send(
    'POST',
    '/incidents/1/acknowledge',
    inPieces('{"user":"', piece, piece, piece, piece, piece, '"}'),
  );

  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ code: 'body-too-large' });
});

it.each([
  [413, 'application/json', 300_000],
  [415, 'text/plain', 200_000],
])(
  'keeps the connection of a request that it answers with %i before the end of the body',
  async (status, type, size) => {
    await using agent = disposable(new Agent({ connections: 1 }));
    const ask = async () => {
      const { statusCode, body } = await agent.agent.request({
        origin: door.url,
        path: '/v1/integrations',
        method: 'POST',
        headers: { authorization: `Bearer ${tocsin.readWriteKey}`, 'content-type': type },
        body: 'x'.repeat(size),
      });
      await body.dump();
      return statusCode;
    };

    const statuses = [];
    for (let i = 0; i < 6; i += 1) {
      statuses.push(await ask());
    }

    expect(statuses).toEqual(Array(6).fill(status));
  },
);
