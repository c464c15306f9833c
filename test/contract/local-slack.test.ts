import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLocalSlack } from '../../src/app/local-slack.ts';
import { readConfig } from '../../src/config/config.ts';
import { silentLogger } from '../support/logger.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tocsin-local-slack-'));
});
afterAll(() => rm(dataDir, { recursive: true }));

async function channelOf(url: string): Promise<{ welcome: string; channels: { name: string }[] }> {
  const response = await fetch(new URL('/page/state?channel=incidents', url));
  return (await response.json()) as { welcome: string; channels: { name: string }[] };
}

it('shows in the empty channel how to break the example shop, with the settings in use', async () => {
  const config = readConfig({ DATA_DIR: dataDir, LOCAL_SLACK_PORT: '0' }, []);
  await using slack = await openLocalSlack(config, silentLogger, 'http://127.0.0.1:4000');

  const { welcome, channels } = await channelOf(slack.url);

  expect(welcome).toContain(`PORT=4000 DATA_DIR=${dataDir} npm run shop -- --break payments`);
  expect(channels.map(({ name }) => name)).toEqual(['general', 'incidents']);
});

it('does not mention the shop when only local Slack runs here', async () => {
  const config = readConfig({ DATA_DIR: dataDir, LOCAL_SLACK_PORT: '0' }, ['local-slack']);
  await using slack = await openLocalSlack(config, silentLogger, null);

  expect((await channelOf(slack.url)).welcome).not.toContain('npm run shop');
});

it('names the setting to change when its port is in use', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => {
    other.listen(0, '127.0.0.1', resolve);
  });
  const { port } = other.address() as { port: number };
  const config = readConfig({ DATA_DIR: dataDir, LOCAL_SLACK_PORT: String(port) }, []);

  await expect(openLocalSlack(config, silentLogger, null)).rejects.toThrow(
    `port ${port} is in use by another program: stop it, or set LOCAL_SLACK_PORT to a free port`,
  );
  other.close();
});
