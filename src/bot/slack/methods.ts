import type { WebClient } from '@slack/web-api';

/** What only `/incidents room` calls. Without these scopes the rest works. */
export const ROOM_METHODS = {
  'bookmarks.add': ['bookmarks:write'],
  'bookmarks.list': ['bookmarks:read'],
  'conversations.create': ['channels:manage', 'groups:write'],
  'conversations.invite': ['channels:manage', 'groups:write'],
  'conversations.setTopic': ['channels:manage', 'groups:write'],
  'pins.add': ['pins:write'],
  'users.conversations': ['channels:read', 'groups:read'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** What only people who are on call need. Without these scopes the rest works. */
export const ON_CALL_METHODS = {
  'dnd.info': ['dnd:read'],
  'usergroups.users.update': ['usergroups:write'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * The Web API methods that the bot calls, with the scopes they need. A test compares this with the sources and the
 * manifest. All calls go through `SlackApi`, so other methods do not compile.
 */
export const SLACK_METHODS = {
  ...ROOM_METHODS,
  ...ON_CALL_METHODS,
  'auth.test': [],
  'bots.info': ['users:read'],
  'chat.delete': ['chat:write'],
  'chat.getPermalink': [],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.unfurl': ['links:write'],
  'chat.update': ['chat:write'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history'],
  'conversations.info': ['channels:read', 'groups:read'],
  'conversations.join': ['channels:join'],
  'conversations.list': ['channels:read', 'groups:read'],
  'conversations.members': ['channels:read', 'groups:read'],
  'conversations.open': ['im:write'],
  'conversations.replies': ['channels:history', 'groups:history'],
  'files.completeUploadExternal': ['files:write'],
  'files.getUploadURLExternal': ['files:write'],
  'usergroups.list': ['usergroups:read'],
  'usergroups.users.list': ['usergroups:read'],
  'users.info': ['users:read', 'users:read.email'],
  'users.list': ['users:read'],
  'users.lookupByEmail': ['users:read.email'],
  'views.open': [],
  'views.publish': [],
  'views.push': [],
  'views.update': [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The events that the manifest subscribes to, with the scopes they need. */
export const SLACK_EVENTS = {
  app_home_opened: [],
  link_shared: ['links:read'],
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Methods of the app-level token. Its scope (`connections:write`) is not part of the manifest. */
export const SLACK_APP_METHODS = ['apps.connections.open'] as const;

export interface SlackApi {
  readonly auth: Pick<WebClient['auth'], 'test'>;
  readonly bookmarks: Pick<WebClient['bookmarks'], 'add' | 'list'>;
  readonly bots: Pick<WebClient['bots'], 'info'>;
  readonly chat: Pick<
    WebClient['chat'],
    'delete' | 'getPermalink' | 'postEphemeral' | 'postMessage' | 'unfurl' | 'update'
  >;
  readonly conversations: Pick<
    WebClient['conversations'],
    'create' | 'history' | 'info' | 'invite' | 'join' | 'list' | 'members' | 'open' | 'replies' | 'setTopic'
  >;
  readonly dnd: Pick<WebClient['dnd'], 'info'>;
  readonly files: Pick<WebClient['files'], 'completeUploadExternal' | 'getUploadURLExternal'>;
  readonly pins: Pick<WebClient['pins'], 'add'>;
  readonly usergroups: Pick<WebClient['usergroups'], 'list'> & {
    readonly users: Pick<WebClient['usergroups']['users'], 'list' | 'update'>;
  };
  readonly users: Pick<WebClient['users'], 'conversations' | 'info' | 'list' | 'lookupByEmail'>;
  readonly views: Pick<WebClient['views'], 'open' | 'publish' | 'push' | 'update'>;
}

/** Options of `chat.postMessage`: no link previews. */
export const QUIET = { unfurl_links: false, unfurl_media: false } as const;
