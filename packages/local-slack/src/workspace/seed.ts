import type { Channel, Person } from './model.ts';

export const TEAM = { id: 'T0LOCAL001', name: 'Local Slack', domain: 'local-slack' } as const;
/** The workspace of people who joined through a shared channel. */
const PARTNER_TEAM_ID = 'T0PARTNER1';
export const APP_ID = 'A0LOCAL001';
export const BOT_ID = 'B0LOCAL001';
export const BOT_USER_ID = 'U0APP00001';

/** Not secrets: they only work on this machine. */
export const BOT_TOKEN = 'xoxb-local-slack';
export const APP_TOKEN = 'xapp-1-local-slack';
export const SIGNING_SECRET = 'local-slack-signing-secret';
/** Deprecated by Slack, but still part of every payload. */
export const VERIFICATION_TOKEN = 'local-slack-verification';

/** Token of another app of the workspace, which tests make up: `xoxb-tool-alertmanager`. */
export const TOOL_TOKEN = /^xoxb-tool-([a-z][a-z0-9-]{0,30})$/;

/** Ids of the app of a bot user: the app under test, or another one. */
export function appOf(userId: string): { readonly bot_id: string; readonly app_id: string } {
  return userId === BOT_USER_ID
    ? { bot_id: BOT_ID, app_id: APP_ID }
    : { bot_id: `B${userId.slice(1)}`, app_id: `A${userId.slice(1)}` };
}

export function seedPeople(botName: string): Person[] {
  const person = (id: string, name: string, realName: string, timeZone: string): Person => ({
    id,
    name,
    realName,
    email: `${name}@example.com`,
    isBot: false,
    isGuest: false,
    teamId: TEAM.id,
    timeZone,
  });
  return [
    person('U0ANA00001', 'ana', 'Ana Duarte', 'Europe/Lisbon'),
    person('U0BEN00001', 'ben', 'Ben Okafor', 'America/New_York'),
    { ...person('U0CHLOE001', 'chloe', 'Chloé Martin', 'Europe/Paris'), isGuest: true },
    { ...person('U0ELIF0001', 'elif', 'Elif Kaya', 'Europe/Istanbul'), teamId: PARTNER_TEAM_ID },
    {
      id: BOT_USER_ID,
      name: botName.toLowerCase().replace(/[^a-z0-9_.-]+/g, '_'),
      realName: botName,
      email: null,
      isBot: true,
      isGuest: false,
      teamId: TEAM.id,
      timeZone: 'UTC',
    },
  ];
}

/** The channel that the app is in from the first start. */
export interface AppChannel {
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  /** mrkdwn that the page shows while the channel is empty. */
  readonly welcome: string;
}

export const PLAYGROUND: AppChannel = {
  id: 'C0PLAYGRND',
  name: 'playground',
  topic: 'Try the app here',
  welcome: 'The app is a member of this channel. Type `/` to see its commands.',
};

/** The app is a member of one channel and not of the other, so that both cases can be tried. */
export function seedChannels(appChannel: AppChannel, createdAt: number): Channel[] {
  const channel = (id: string, name: string, topic: string, members: readonly string[]): Channel => ({
    id,
    name,
    kind: 'public',
    topic,
    purpose: '',
    members,
    isArchived: false,
    createdAt,
  });
  return [
    channel('C0GENERAL1', 'general', 'Company-wide announcements', ['U0ANA00001', 'U0BEN00001']),
    channel(appChannel.id, appChannel.name, appChannel.topic, [
      'U0ANA00001',
      'U0BEN00001',
      'U0CHLOE001',
      'U0ELIF0001',
      BOT_USER_ID,
    ]),
  ];
}
