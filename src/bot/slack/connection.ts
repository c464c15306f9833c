import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { classifySlackFailure } from './errors.ts';
import type { SlackUserId } from './identifiers.ts';
import type { SlackApi } from './methods.ts';
import type { BotReceiver } from './receiver.ts';
import type { Requests } from './requests.ts';
import { BotStartError, missingScope } from './start-error.ts';

/** The workspace and the bot's identity in it. */
export interface SlackIdentity {
  readonly teamId: string;
  readonly teamName: string;
  readonly appId: string;
  readonly botUserId: SlackUserId;
}

/**
 * Signs in and starts to receive requests. Can be called again after a failure.
 *
 * @throws BotStartError when a token is refused; otherwise errors of Slack's client
 */
export async function connect(deps: {
  app: App;
  api: SlackApi;
  /** null: signed HTTP, which needs no app-level token. */
  appClient: Pick<WebClient, 'apps'> | null;
  requests: Requests;
  receiver: BotReceiver;
  /** Called before the first request is received. */
  enterWorkspace: (teamId: string) => Promise<void>;
}): Promise<SlackIdentity> {
  const { app, api, appClient } = deps;
  const identity = await orRefusal('SLACK_BOT_TOKEN', async () => {
    const found = await signIn(api);
    await app.init();
    return found;
  });
  if (appClient !== null) {
    // Checked here first, because the library would retry a refused token forever.
    await orRefusal('SLACK_APP_TOKEN', () => appClient.apps.connections.open({}));
  }
  await deps.enterWorkspace(identity.teamId);
  deps.requests.open(app);
  await deps.receiver.start();
  return identity;
}

async function signIn(api: SlackApi): Promise<SlackIdentity> {
  const who = await api.auth.test();
  const botId = who.bot_id ?? '';
  const { bot } = botId === '' ? { bot: undefined } : await api.bots.info({ bot: botId });
  return {
    teamId: who.team_id ?? '',
    teamName: who.team ?? '',
    appId: bot?.app_id ?? botId,
    botUserId: who.user_id ?? '',
  };
}

async function orRefusal<Result>(
  setting: 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN',
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    const sentence = refusalOf(setting, error);
    throw sentence === null ? error : new BotStartError(sentence, { cause: error });
  }
}

/** @returns what is refused and what to do; null: not a refusal, so a retry may succeed */
export function refusalOf(setting: 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN', error: unknown): string | null {
  const failure = classifySlackFailure(error);
  const isBot = setting === 'SLACK_BOT_TOKEN';
  if (failure.kind === 'refused-token') {
    const where = isBot
      ? 'copy the Bot User OAuth Token (xoxb-…) from the app’s page “OAuth & Permissions”'
      : 'create an app-level token (xapp-…) with the scope connections:write on the app’s page “Basic Information”';
    return `Slack refuses ${setting} (${failure.error}): ${where}.`;
  }
  if (failure.kind === 'missing-scope') {
    return isBot
      ? missingScope(failure.needed)
      : 'SLACK_APP_TOKEN lacks the scope connections:write: create a new app-level token that has it.';
  }
  if (!isBot && failure.kind === 'refused') {
    return `Slack refuses Socket Mode with SLACK_APP_TOKEN (${failure.error}): enable it on the app’s page “Socket Mode”.`;
  }
  return null;
}
