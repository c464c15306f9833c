import type { LIMITS } from '../limits.ts';

/**
 * The tier that each method's page below https://docs.slack.dev/reference/methods names; a method that is not here
 * has a limit of its own or a special one without a figure. `apps.connections.open` is tier 1 with bursts whose size
 * is not documented, and every reconnection needs it: it goes unlimited here.
 */
export const TIERS: Readonly<Record<string, keyof typeof LIMITS.callsPerMinute>> = {
  'auth.revoke': 'tier3',
  'bots.info': 'tier3',
  'chat.delete': 'tier3',
  'chat.postEphemeral': 'tier4',
  'chat.update': 'tier3',
  'conversations.archive': 'tier2',
  'conversations.create': 'tier2',
  'conversations.history': 'tier3',
  'conversations.info': 'tier3',
  'conversations.invite': 'tier3',
  'conversations.join': 'tier3',
  'conversations.leave': 'tier3',
  'conversations.list': 'tier2',
  'conversations.members': 'tier4',
  'conversations.open': 'tier3',
  'conversations.rename': 'tier2',
  'conversations.replies': 'tier3',
  'team.info': 'tier3',
  'users.conversations': 'tier3',
  'users.info': 'tier4',
  'users.list': 'tier2',
  'users.lookupByEmail': 'tier3',
  'users.profile.get': 'tier4',
  'views.open': 'tier4',
  'views.publish': 'tier4',
  'views.push': 'tier4',
  'views.update': 'tier4',
};
