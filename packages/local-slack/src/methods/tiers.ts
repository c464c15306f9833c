import type { LIMITS } from '../limits.ts';

/**
 * The rate limit tier of each method, from its page below https://docs.slack.dev/reference/methods. Methods with a
 * special limit are missing. So is `apps.connections.open`: sources disagree on its tier, the size of its bursts is not
 * documented, and every reconnect needs it.
 */
export const TIERS: Readonly<Record<string, keyof typeof LIMITS.callsPerMinute>> = {
  'auth.revoke': 'tier3',
  'bookmarks.add': 'tier2',
  'bookmarks.list': 'tier3',
  'bots.info': 'tier3',
  'chat.delete': 'tier3',
  'chat.postEphemeral': 'tier4',
  'chat.unfurl': 'tier3',
  'chat.update': 'tier3',
  'conversations.archive': 'tier2',
  'conversations.create': 'tier2',
  'conversations.history': 'tier3',
  'conversations.info': 'tier3',
  'conversations.invite': 'tier3',
  'conversations.join': 'tier3',
  'conversations.list': 'tier2',
  'conversations.members': 'tier4',
  'conversations.open': 'tier3',
  'conversations.replies': 'tier3',
  'conversations.setTopic': 'tier2',
  'dnd.info': 'tier3',
  'files.completeUploadExternal': 'tier4',
  'files.getUploadURLExternal': 'tier4',
  'pins.add': 'tier2',
  'usergroups.list': 'tier2',
  'usergroups.users.list': 'tier2',
  'usergroups.users.update': 'tier2',
  'users.conversations': 'tier3',
  'users.info': 'tier4',
  'users.list': 'tier2',
  'users.lookupByEmail': 'tier3',
  'views.open': 'tier4',
  'views.publish': 'tier4',
  'views.push': 'tier4',
  'views.update': 'tier4',
};
