import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { BotStartError, missingScope } from '../domain/errors.ts';
import { classifySlackFailure } from './errors.ts';
import type { SlackApi } from './methods.ts';
import type { BotReceiver } from './receiver.ts';
import type { Requests } from './requests.ts';

/** Which workspace we are in, and as whom. */
export interface SlackIdentity {
  readonly teamId: string;
  readonly teamName: string;
  readonly appId: string;
  readonly botUserId: string;
}

/**
 * Signs in and begins to take requests. May be called again after it has failed.
 *
 * @throws BotStartError when a token is refused; else what Slack's client throws
 */
export async function connect(deps: {
  app: App;
  api: SlackApi;
  /** null: HTTP, which needs no second token. */
  appClient: Pick<WebClient, 'apps'> | null;
  requests: Requests;
  receiver: BotReceiver;
  /** Told before anything comes in from there. */
  enterWorkspace: (teamId: string) => Promise<void>;
}): Promise<SlackIdentity> {
  const { app, api, appClient } = deps;
  const identity = await orRefusal('SLACK_BOT_TOKEN', async () => {
    const found = await signIn(api);
    await app.init();
    return found;
  });
  if (appClient !== null) {
    // Asked by ourselves first: the library would try a refused token again for ever.
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

/** @returns what is refused and what to do; null: not a refusal, so another try may end better */
export function refusalOf(setting: 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN', error: unknown): string | null {
  const failure = classifySlackFailure(error);
  const isBot = setting === 'SLACK_BOT_TOKEN';
  if (failure.kind === 'refused-token') {
    const where = isBot
      ? 'copy the Bot User OAuth Token (xoxb-…) from the app’s page “OAuth & Permissions”'
      : 'make an app-level token (xapp-…) with the scope connections:write on the app’s page “Basic Information”';
    return `Slack refuses ${setting} (${failure.error}): ${where}.`;
  }
  if (failure.kind === 'missing-scope') {
    return isBot
      ? missingScope(failure.needed)
      : 'SLACK_APP_TOKEN lacks the scope connections:write: make a new app-level token that has it.';
  }
  if (!isBot && failure.kind === 'refused') {
    return `Slack refuses Socket Mode with SLACK_APP_TOKEN (${failure.error}): switch it on on the app’s page “Socket Mode”.`;
  }
  return null;
}
