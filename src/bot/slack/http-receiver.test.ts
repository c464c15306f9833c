import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App } from '@slack/bolt';
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger, silentSlackLogger } from '../../../test/support/logger.ts';
import { createHttpReceiver } from './http-receiver.ts';
import { createRequests } from './requests.ts';

const SECRET = 'a-signing-secret';
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const COMMAND = new URLSearchParams({ command: '/go', team_id: 'T1', user_id: 'U1', channel_id: 'C1' }).toString();
const CLICK = { type: 'block_actions', team: { id: 'T1' }, user: { id: 'U1' }, actions: [{ action_id: 'go' }] };
const MIB = 1024 * 1024;

/** The receiver behind a real server. @returns a function that posts a signed body */
async function startReceiver({ isOpen = true } = {}) {
  const requests = createRequests(silentLogger, () => undefined);
  const receiver = createHttpReceiver({
    signingSecret: SECRET,
    requests,
    logger: silentSlackLogger,
    now: () => new Date(),
  });
  const app = new App({ receiver, authorize: async () => ({ botToken: 'xoxb-1', botId: 'B1', botUserId: 'U0' }) });
  app.command('/go', ({ ack }) => ack());
  if (isOpen) {
    requests.open(app);
  }
  const server = createServer((request, response) => receiver.requestListener?.(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    await receiver.stop();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;

  return (body: string, type: string, sent: string | ReadableStream = body) => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', SECRET).update(`v0:${timestamp}:${body}`).digest('hex');
    return fetch(url, {
      method: 'POST',
      body: sent,
      duplex: 'half',
      headers: {
        'content-type': type,
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${signature}`,
      },
    });
  };
}

it.each([
  [JSON_TYPE, 'null'],
  [JSON_TYPE, '[]'],
  [JSON_TYPE, '"text"'],
  [JSON_TYPE, '{"type":'],
  [JSON_TYPE, ''],
  [FORM, 'payload=null'],
  [FORM, 'payload=[]'],
  [FORM, 'payload=%7B%22type%22'],
  [`${FORM}; charset=utf-8`, 'payload=1'],
])('refuses a signed body that is no object, and goes on: %s %s', async (type, body) => {
  const post = await startReceiver();

  const { status } = await post(body, type);

  expect(status).toBe(400);
  expect((await post(COMMAND, FORM)).status).toBe(200);
});

it.each([
  [JSON_TYPE, JSON.stringify({ type: 'url_verification', challenge: 'abc' })],
  [FORM, `payload=${encodeURIComponent(JSON.stringify(CLICK))}`],
  [FORM, COMMAND],
])('passes on a signed object: %s', async (type, body) => {
  const post = await startReceiver();

  expect((await post(body, type)).status).toBe(200);
});

it('refuses a body of more than one MiB', async () => {
  const post = await startReceiver();
  const pad = (bytes: number) => `${COMMAND}&text=${'x'.repeat(bytes - COMMAND.length - '&text='.length)}`;

  expect((await post(pad(MIB + 1), FORM)).status).toBe(413);
  expect((await post(pad(MIB), FORM)).status).toBe(200);
});

it('refuses it also when its length is not announced', async () => {
  const post = await startReceiver();
  const body = `text=${'x'.repeat(2 * MIB)}`;

  expect((await post(body, FORM, new Blob([body]).stream())).status).toBe(413);
});

it('asks Slack to come again while it is not open', async () => {
  const post = await startReceiver({ isOpen: false });

  const response = await post(COMMAND, FORM);

  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
});
