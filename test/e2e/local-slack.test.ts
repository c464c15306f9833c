import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, HTTPReceiver, SocketModeReceiver } from '@slack/bolt';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentSlackLogger as quiet } from '../support/logger.ts';
import { runTocsin, startPart } from '../support/tocsin-process.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'local-slack-alone-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function writeManifest(name: string, socketMode: boolean, requestUrl?: string): Promise<string> {
  const path = join(dir, name);
  const manifest = {
    display_information: { name: 'Echo' },
    features: {
      bot_user: { display_name: 'Echo' },
      slash_commands: [{ command: '/echo', description: 'Echoes', ...(requestUrl && { url: requestUrl }) }],
    },
    oauth_config: { scopes: { bot: ['chat:write', 'commands'] } },
    settings: { socket_mode_enabled: socketMode },
  };
  await writeFile(path, JSON.stringify(manifest));
  return path;
}

/** The settings for a bot in the banner. */
function settingsIn(banner: readonly string[]) {
  const [url, apiUrl, botToken, appToken, signingSecret] = [
    /Slack\s+(http:\S+)/,
    /takes (\S+)/,
    /and (\S+) as bot token/,
    /(\S+) as app token/,
    /(\S+) as signing secret/,
  ].map((setting) => banner.join('\n').match(setting)?.[1] ?? '');
  return { url: url ?? '', apiUrl: apiUrl ?? '', botToken: botToken ?? '', appToken: appToken ?? '', signingSecret };
}

async function typeAsAna(url: string, text: string): Promise<unknown> {
  const response = await fetch(`${url}people/ana/message`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'playground', text }),
  });
  return await response.json();
}

it('runs alone for another bot, which takes its settings from the banner', async () => {
  const manifest = await writeManifest('socket.json', true);
  await using slack = await startPart(['local-slack', '--manifest', manifest]);
  const { url, apiUrl, botToken, appToken } = settingsIn(slack.banner);
  const receiver = new SocketModeReceiver({
    appToken,
    logger: quiet,
    installerOptions: { clientOptions: { slackApiUrl: apiUrl } },
  });
  const app = new App({ token: botToken, receiver, logger: quiet, clientOptions: { slackApiUrl: apiUrl } });
  const echoed: string[] = [];
  app.command('/echo', async ({ ack, command }) => {
    echoed.push(command.text);
    await ack(command.text);
  });
  await app.start();

  const answer = await typeAsAna(url, '/echo hello');
  await app.stop();

  expect(slack.banner[0]).toContain('Echo of ');
  expect(slack.banner[0]).toContain('by Socket Mode');
  expect(answer).toEqual({ shown: null });
  expect(echoed).toEqual(['hello']);
});

it('delivers by signed HTTP to the URLs of a manifest without Socket Mode', async () => {
  const echoed: string[] = [];
  let listener: HTTPReceiver['requestListener'] = () => {};
  const server = createServer((request, response) => listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const requestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  const manifest = await writeManifest('http.json', false, requestUrl);
  await using slack = await startPart(['local-slack', '--manifest', manifest]);
  const { url, apiUrl, botToken, signingSecret = '' } = settingsIn(slack.banner);
  const receiver = new HTTPReceiver({ signingSecret, logger: quiet });
  listener = receiver.requestListener;
  const app = new App({ token: botToken, receiver, logger: quiet, clientOptions: { slackApiUrl: apiUrl } });
  app.command('/echo', async ({ ack, command }) => {
    echoed.push(command.text);
    await ack(command.text);
  });

  const answer = await typeAsAna(url, '/echo hello');
  server.closeAllConnections();
  server.close();

  expect(slack.banner[0]).toContain('by signed HTTP');
  expect(answer).toEqual({ shown: null });
  expect(echoed).toEqual(['hello']);
});

it('reports what is wrong with a manifest', async () => {
  const withoutUrl = await writeManifest('no-url.json', false);

  const missing = await runTocsin({}, ['local-slack', '--manifest', join(dir, 'nowhere.yml')]);
  const incomplete = await runTocsin({ LOCAL_SLACK_PORT: '0' }, ['local-slack', '--manifest', withoutUrl]);

  expect([missing.code, incomplete.code]).toEqual([1, 1]);
  expect(missing.stderr).toContain('nowhere.yml cannot be read');
  expect(incomplete.stderr).toContain('lacks the url of the command /echo');
});
