import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Clock, type LocalSlack, startLocalSlack } from 'local-slack';
import { INCIDENTS_CHANNEL } from '../src/app/local-slack.ts';
import { startTocsin } from '../test/support/tocsin-process.ts';

export type Transport = 'Socket Mode' | 'signed HTTP';

const MANIFEST = fileURLToPath(new URL('../manifest.yml', import.meta.url));

/** The channel for cards in local Slack. */
export const CHANNEL = 'incidents';

/** A local Slack in this process, for an app in another process. */
export interface SlackForApp extends AsyncDisposable {
  readonly slack: LocalSlack;
  readonly app: AppSettings;
}

/** The connection of the app to local Slack. */
export interface AppSettings {
  readonly apiUrl: string;
  readonly botToken: string;
  /** null: signed HTTP. */
  readonly appToken: string | null;
  readonly signingSecret: string;
  /** Port of the app for signed HTTP; 0: Socket Mode. */
  readonly port: number;
}

/** @param clock clock of local Slack; default: the machine's */
export async function startSlackForApp(transport: Transport, clock?: Clock): Promise<SlackForApp> {
  const isSocketMode = transport === 'Socket Mode';
  const port = isSocketMode ? 0 : await findFreePort();
  const requestUrl = `http://127.0.0.1:${port}/slack/events`;
  const slack = await startLocalSlack({
    manifestPath: MANIFEST,
    channel: INCIDENTS_CHANNEL,
    port: 0,
    delivery: isSocketMode ? { mode: 'socket' } : { mode: 'http', requestUrl, signingSecret: 'of-the-benchmark' },
    ...(clock && { clock }),
  });
  const { apiUrl, botToken, appToken, signingSecret } = slack;
  return {
    slack,
    app: { apiUrl, botToken, appToken: isSocketMode ? appToken : null, signingSecret, port },
    [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose](),
  };
}

/** Finds a free port. Local Slack must know the app's port before the app can be started with the address of local Slack. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts Tocsin's bot like `npm start -- bot` and waits until it is connected. @param pollSeconds default: the bot's */
export async function startBot(
  { slack, app }: SlackForApp,
  service: { readonly baseUrl: string; readonly key: string },
  databaseUrl: string,
  pollSeconds = 10,
): Promise<AsyncDisposable> {
  const env = {
    SLACK_API_URL: app.apiUrl,
    SLACK_BOT_TOKEN: app.botToken,
    ...(app.appToken === null ? { SLACK_SIGNING_SECRET: app.signingSecret } : { SLACK_APP_TOKEN: app.appToken }),
    PORT: String(app.port),
    INCIDENTS_BASE_URL: service.baseUrl,
    INCIDENTS_API_KEY: service.key,
    INCIDENTS_CHANNEL: `#${CHANNEL}`,
    DATABASE_URL: databaseUrl,
    POLL_SECONDS: String(pollSeconds),
    LOG_LEVEL: 'error',
  };
  const bot = await startTocsin(env, ['bot']);
  await slack.waitFor(() => app.appToken === null || slack.connections > 0, 30_000);
  return bot;
}
