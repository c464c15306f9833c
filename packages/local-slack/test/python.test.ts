import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { client, startFixture } from './fixture.ts';

const BOT = join(import.meta.dirname, 'python_bot.py');

describe('a client that leaves the port out of the Host header, as Slack’s Python SDK does', () => {
  it('calls the Web API', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    const call = async (host: string): Promise<number> =>
      (await request(`${slack.apiUrl}auth.test`, { method: 'POST', headers: { host } })).statusCode;

    expect(await call('127.0.0.1')).toBe(200);
    expect(await call('localhost')).toBe(200);
    expect(await call('rebound.example')).toBe(403);
  });

  it('opens a Socket Mode connection', async () => {
    await using fixture = await startFixture();

    expect(await handshake(fixture.slack, '127.0.0.1')).toMatch(/^HTTP\/1\.1 101 /);
    expect(await handshake(fixture.slack, 'rebound.example')).toMatch(/^HTTP\/1\.1 403 /);
  });
});

describe('the Python SDK', () => {
  const python = findPython();

  it.skipIf(python === null)('answers a command by Socket Mode and posts a message', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    const bot = spawn(python ?? '', [BOT, slack.apiUrl, slack.botToken, slack.appToken], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = Promise.all([text(bot.stderr), once(bot, 'close')]);
    try {
      await slack.waitFor(() => slack.connections > 0);
      await slack.as('ana').command('playground', '/hello world');
      await slack.waitFor(() => slack.messages('playground').find((message) => message.text === 'posted: world'));
    } finally {
      bot.kill();
    }
    const [stderr] = await ended;

    expect(slack.ephemerals('ana', 'playground')).toMatchObject([{ text: 'acknowledged: world', from: 'app' }]);
    expect(stderr).toBe('');
  });
});

/** The response to a handshake as `slack_sdk.socket_mode` sends it. */
async function handshake(
  { ...slack }: Awaited<ReturnType<typeof startFixture>>['slack'],
  host: string,
): Promise<string> {
  const { url = '' } = await client(slack, slack.appToken).apps.connections.open({});
  const { port, pathname, search } = new URL(url);
  const socket = connectTcp(Number(port), '127.0.0.1');
  const lines = [
    `GET ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version: 13',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const [response] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return response.toString();
}

/** A Python with slack_sdk, which is Debian's package python3-slack-sdk. Null when there is none. */
function findPython(): string | null {
  const hasSdk = (command: string): boolean => {
    try {
      execFileSync(command, ['-c', 'import slack_sdk.socket_mode.builtin'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  return ['python3', '/usr/bin/python3'].find(hasSdk) ?? null;
}
