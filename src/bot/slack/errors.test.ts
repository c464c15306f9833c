import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../test/support/logger.ts';
import { createBoltLogger } from './bolt-logger.ts';
import { createSlackApi, createSlackFetch } from './clients.ts';
import { hadNoEffect } from './errors.ts';
import { createRespondTo } from './respond.ts';
import { createSlackClock } from './slack-clock.ts';

const now = () => new Date();

/** Posts a message and a response, and gives what both throw. @param answer absent: nothing listens */
async function failures(answer?: RequestListener): Promise<unknown[]> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (answer === undefined) {
    server.close();
    await once(server, 'close');
  }
  const logger = createBoltLogger(silentLogger);
  const connection = {
    apiUrl: `${origin}/api/`,
    logger,
    now,
    clock: createSlackClock(now),
    onAnswered: () => undefined,
  };
  const respondTo = createRespondTo(createSlackFetch(connection));
  const calls = [
    createSlackApi(connection, 'xoxb-1').chat.postMessage({ channel: 'C1', text: 'hello' }),
    respondTo(`${origin}/response/1`, { text: 'hello' }),
  ];
  const results = await Promise.allSettled(calls);
  server.close();
  return results.map((result) => (result.status === 'rejected' ? result.reason : null));
}

describe('a failed call of Slack had no effect', () => {
  it('if there was no connection', async () => {
    expect((await failures()).map(hadNoEffect)).toEqual([true, true]);
  });

  it.each([400, 404, 410, 429])('if Slack answers %i', async (status) => {
    const failed = await failures(
      (_request, response) => void response.writeHead(status, { 'retry-after': '1' }).end(),
    );

    expect(failed.map(hadNoEffect)).toEqual([true, true]);
  });

  it.each([500, 502, 503])('perhaps, if Slack answers %i', async (status) => {
    const failed = await failures((_request, response) => void response.writeHead(status).end());

    expect(failed.map(hadNoEffect)).toEqual([false, false]);
  });

  it('perhaps, if the connection breaks after the request was sent', async () => {
    const failed = await failures((request) => void request.socket.destroy());

    expect(failed.map(hadNoEffect)).toEqual([false, false]);
  });

  it('if its address is not Slack’s, so that nothing is sent', async () => {
    const send = createSlackFetch({ apiUrl: 'https://slack.com/api/', now, clock: createSlackClock(now) });

    const failed = await createRespondTo(send)('https://slack.com.example/1', { text: 'hello' }).catch(
      (error: unknown) => error,
    );

    expect(hadNoEffect(failed)).toBe(true);
  });
});
