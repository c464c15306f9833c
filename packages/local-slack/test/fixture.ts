import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, LogLevel, WebClient, type WebClientOptions } from '@slack/web-api';
import { WebSocket } from 'ws';
import { type LocalSlack, type LocalSlackOptions, startLocalSlack } from '../src/local-slack.ts';

const SCOPES = [
  'chat:write',
  'commands',
  'channels:read',
  'channels:history',
  'channels:join',
  'users:read',
  'app_mentions:read',
];

/** For tests that need more scopes than the hello-world app has. */
export const ALL_SCOPES = [
  ...SCOPES,
  'bookmarks:read',
  'bookmarks:write',
  'channels:manage',
  'files:read',
  'files:write',
  'groups:read',
  'im:write',
  'links:write',
  'pins:read',
  'pins:write',
  'dnd:read',
  'usergroups:read',
  'usergroups:write',
  'users:read.email',
];

const helloWorld = (scopes: readonly string[]): string => `
display_information:
  name: Hello World
features:
  bot_user:
    display_name: Hello
  slash_commands:
    - command: /hello
      description: Says hello
      usage_hint: "[name]"
      should_escape: false
    - command: /escaped
      description: Hands names on as references
      should_escape: true
  app_home:
    home_tab_enabled: true
  unfurl_domains: [example.com]
  shortcuts:
    - name: Greet
      type: global
      callback_id: greet
      description: Greets everyone
    - name: Answer
      type: message
      callback_id: answer
      description: Answers the message
oauth_config:
  scopes:
    bot: [${scopes.join(', ')}]
settings:
  event_subscriptions:
    bot_events: [app_mention]
  interactivity:
    is_enabled: true
  socket_mode_enabled: true
`;

export interface Fixture extends AsyncDisposable {
  readonly slack: LocalSlack;
  readonly dir: string;
  readonly manifestPath: string;
}

/** A local Slack in a temporary folder, with the manifest of a hello-world app by default. */
export async function startFixture(
  options: Partial<LocalSlackOptions> & { readonly manifest?: string; readonly scopes?: readonly string[] } = {},
): Promise<Fixture> {
  const { scopes = SCOPES, manifest = helloWorld(scopes), ...started } = options;
  const dir = await mkdtemp(join(tmpdir(), 'local-slack-'));
  const manifestPath = join(dir, 'manifest.yml');
  await writeFile(manifestPath, manifest);
  const slack = await startLocalSlack({ manifestPath, port: 0, delivery: { mode: 'socket' }, ...started });
  return {
    slack,
    dir,
    manifestPath,
    async [Symbol.asyncDispose]() {
      await slack[Symbol.asyncDispose]();
      await rm(dir, { recursive: true });
    },
  };
}

/** The SDK's client, without retries and logs. */
export function client(slack: LocalSlack, token: string = slack.botToken, options: WebClientOptions = {}): WebClient {
  return new WebClient(token, { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 }, logger: quiet, ...options });
}

/** The error code of a call, or `ok`. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => 'ok',
    (error: { data?: { error?: string } }) => error.data?.error ?? 'no answer',
  );
}

export const quiet: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};

type Payload = Record<string, unknown>;

export interface Envelope {
  readonly type: string;
  readonly envelope_id?: string;
  readonly payload: Payload;
  readonly [field: string]: unknown;
}

/** A bare Socket Mode connection. `answer` returns the content of its acknowledgements. */
export interface Connection extends AsyncDisposable {
  readonly received: Envelope[];
  /** Waits for the first envelope that matches. */
  hears(isMeant: (envelope: Envelope) => boolean): Promise<Envelope>;
}

export async function connect(
  slack: LocalSlack,
  answer: (envelope: Envelope) => object | null | 'silence' = () => null,
): Promise<Connection> {
  const { url = '' } = await client(slack, slack.appToken).apps.connections.open({});
  const socket = new WebSocket(url);
  const received: Envelope[] = [];
  const listeners = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    const envelope = JSON.parse(data.toString()) as Envelope;
    received.push(envelope);
    for (const listener of listeners) {
      listener();
    }
    const said = envelope.envelope_id === undefined ? 'silence' : answer(envelope);
    if (said !== 'silence') {
      socket.send(JSON.stringify({ envelope_id: envelope.envelope_id, ...(said && { payload: said }) }));
    }
  });
  await once(socket, 'message');
  return {
    received,
    hears: (isMeant) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = received.find(isMeant);
          if (found !== undefined) {
            listeners.delete(look);
            resolve(found);
          }
        };
        listeners.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      if (socket.readyState !== WebSocket.CLOSED) {
        socket.close();
        await once(socket, 'close');
      }
    },
  };
}
