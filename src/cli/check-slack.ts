import type { Logger } from 'pino';
import { createBoltLogger } from '../bot/slack/bolt-logger.ts';
import { ChannelError, findChannel } from '../bot/slack/channels.ts';
import { createAppClient, createSlackApi } from '../bot/slack/clients.ts';
import { refusalOf } from '../bot/slack/connection.ts';
import { slackErrorCode } from '../bot/slack/errors.ts';
import { SLACK_EVENTS, SLACK_METHODS, type SlackApi } from '../bot/slack/methods.ts';
import { createSlackClock, describeSkew, type SlackClock } from '../bot/slack/slack-clock.ts';
import { missingScope } from '../bot/slack/start-error.ts';
import type { Config } from '../config/config.ts';
import type { Finding } from './finding.ts';

/** What the bot does not do without a scope; everything else works. */
const WITHOUT: Readonly<Record<string, string>> = {
  'dnd:read': 'Do Not Disturb is not read before a direct message is to wake somebody',
  'usergroups:write': 'user groups are not kept true to who is on call',
};

/** The scope of the slash command and those of every method that the bot calls. */
const NEEDED_SCOPES: readonly string[] = [
  ...new Set(['commands', ...Object.values({ ...SLACK_METHODS, ...SLACK_EVENTS }).flat()]),
].filter((scope) => !(scope in WITHOUT));

/** Checks the tokens, their scopes and the channel. Joins no channel and posts nothing. */
export async function checkSlack(
  slack: Config['slack'],
  channel: string | null,
  logger: Logger,
  now: () => Date,
): Promise<Finding[]> {
  if (slack.kind === 'local') {
    return [{ subject: 'slack', isWell: true, sentence: 'local Slack, started by npm start' }];
  }
  const clock = createSlackClock(now);
  const address = {
    apiUrl: slack.apiUrl,
    logger: createBoltLogger(logger.child({}, { level: 'silent' })),
    now,
    clock,
    onAnswered: () => undefined,
  };
  const api = createSlackApi(address, slack.botToken);
  const signIn = await checkBotToken(api);
  const receiving =
    slack.appToken === null
      ? { subject: 'slack', isWell: true, sentence: 'requests arrive by signed HTTP' }
      : await checkAppToken(createAppClient(address, slack.appToken));
  const isSignedIn = signIn.every(({ isWell }) => isWell);
  return [...signIn, checkClock(clock), receiving, ...(isSignedIn ? [await checkChannel(api, channel)] : [])];
}

async function checkBotToken(api: SlackApi): Promise<Finding[]> {
  try {
    const who = await api.auth.test();
    const granted = who.response_metadata?.scopes;
    const missing = granted === undefined ? [] : NEEDED_SCOPES.filter((scope) => !granted.includes(scope));
    return [
      { subject: 'slack', isWell: true, sentence: `SLACK_BOT_TOKEN works for the workspace ${who.team ?? ''}` },
      missing.length > 0
        ? { subject: 'scopes', isWell: false, sentence: missingScope(missing.join(', ')) }
        : {
            subject: 'scopes',
            isWell: true,
            sentence: granted === undefined ? 'not reported by Slack' : 'all granted',
          },
      ...Object.entries(WITHOUT)
        .filter(([scope]) => granted !== undefined && !granted.includes(scope))
        .map(([scope, what]) => ({ subject: 'scopes', isWell: true, sentence: `without ${scope}, ${what}` })),
    ];
  } catch (error) {
    return [failure('SLACK_BOT_TOKEN', error)];
  }
}

function checkClock(clock: SlackClock): Finding {
  const problem = describeSkew(clock.skewMs());
  return { subject: 'clock', isWell: problem === null, sentence: problem ?? 'agrees with Slack’s' };
}

async function checkAppToken(client: ReturnType<typeof createAppClient>): Promise<Finding> {
  try {
    await client.apps.connections.open({});
    return { subject: 'slack', isWell: true, sentence: 'SLACK_APP_TOKEN works for Socket Mode' };
  } catch (error) {
    return failure('SLACK_APP_TOKEN', error);
  }
}

function failure(setting: 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN', error: unknown): Finding {
  const sentence =
    refusalOf(setting, error) ??
    `cannot check ${setting} with Slack (${slackErrorCode(error)}): check the network and SLACK_API_URL`;
  return { subject: 'slack', isWell: false, sentence };
}

async function checkChannel(api: SlackApi, setting: string | null): Promise<Finding> {
  if (setting === null) {
    return { subject: 'channel', isWell: true, sentence: 'none set: commands work, but no cards are posted' };
  }
  try {
    const { isMember, isPrivate } = await findChannel(api, setting);
    if (isPrivate && !isMember) {
      return { subject: 'channel', isWell: false, sentence: `invite the bot to ${setting} with /invite` };
    }
    return {
      subject: 'channel',
      isWell: true,
      sentence: isMember ? `the bot is in ${setting}` : `${setting} exists; the bot joins it when it starts`,
    };
  } catch (error) {
    const sentence =
      error instanceof ChannelError
        ? error.message
        : `cannot look up ${setting} in Slack (${slackErrorCode(error)}): try again`;
    return { subject: 'channel', isWell: false, sentence };
  }
}
