import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalSlack, type LocalSlackOptions, startLocalSlack } from '../../src/local-slack/local-slack.ts';

const MANIFEST = `
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
  shortcuts:
    - name: Greet
      type: global
      callback_id: greet
    - name: Answer
      type: message
      callback_id: answer
oauth_config:
  scopes:
    bot: [chat:write, commands, channels:read, channels:history, channels:join, users:read, app_mentions:read]
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

/** A local Slack of its own with a hello-world app's manifest; gone with everything it wrote when disposed of. */
export async function startFixture(options: Partial<LocalSlackOptions> = {}): Promise<Fixture> {
  const dir = await mkdtemp(join(tmpdir(), 'local-slack-'));
  const manifestPath = join(dir, 'manifest.yml');
  await writeFile(manifestPath, MANIFEST);
  const slack = await startLocalSlack({ manifestPath, port: 0, delivery: { mode: 'socket' }, ...options });
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
