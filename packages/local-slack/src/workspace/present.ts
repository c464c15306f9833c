import type { Channel, Message, Person, SharedFile, View } from './model.ts';
import { APP_ID, appOf, BOT_ID, BOT_USER_ID, TEAM } from './seed.ts';

/**
 * A message as Slack sends it. `replies` add the counts of a thread to its parent, `parentUser` the author of the
 * parent to a reply. Without `workspaceUrl`, files are references that the app has to look up.
 */
export function presentMessage(
  message: Message,
  options: {
    withMetadata: boolean;
    replies?: readonly Message[];
    parentUser?: string;
    workspaceUrl?: string;
  },
): Record<string, unknown> {
  const { replies = [], parentUser, workspaceUrl } = options;
  const replyUsers = [...new Set(replies.map((reply) => reply.user))];
  return {
    type: 'message',
    ...(message.isBroadcast && { subtype: 'thread_broadcast' }),
    ...(message.tool?.isCustom === true
      ? { subtype: 'bot_message', username: message.tool.name }
      : { user: message.user }),
    ts: message.ts,
    text: message.text,
    team: TEAM.id,
    ...(message.isFromApp && { bot_id: BOT_ID, app_id: APP_ID }),
    ...(message.tool !== null && presentTool(message.user, message.tool)),
    ...(message.blocks.length > 0 && { blocks: message.blocks }),
    ...(message.attachments.length > 0 && { attachments: message.attachments.map(presentAttachment) }),
    ...(message.files.length > 0 && {
      files: message.files.map((file) =>
        workspaceUrl === undefined
          ? { id: file.id, mode: 'file_access', file_access: 'check_file_info' }
          : presentFile(file, workspaceUrl),
      ),
    }),
    ...(message.editedTs !== null && { edited: { user: message.user, ts: message.editedTs } }),
    ...(message.pin !== null && { pinned_to: [message.channel] }),
    ...(message.threadTs !== null && { thread_ts: message.threadTs }),
    ...(parentUser !== undefined && { parent_user_id: parentUser }),
    ...(replies.length > 0 && {
      thread_ts: message.ts,
      reply_count: replies.length,
      reply_users_count: replyUsers.length,
      reply_users: replyUsers,
      latest_reply: replies.at(-1)?.ts,
      is_locked: false,
      subscribed: replyUsers.includes(BOT_USER_ID) || message.user === BOT_USER_ID,
    }),
    ...(options.withMetadata && message.metadata !== null && { metadata: message.metadata }),
  };
}

/** https://docs.slack.dev/reference/events/message/bot_message */
function presentTool(userId: string, { name, isCustom }: NonNullable<Message['tool']>): Record<string, unknown> {
  const ids = appOf(userId);
  return { ...ids, ...(!isCustom && { bot_profile: { id: ids.bot_id, deleted: false, name, app_id: ids.app_id } }) };
}

/** Slack's words for colors: https://docs.slack.dev/messaging/formatting-message-text#when-to-use-attachments */
const COLORS: Readonly<Record<string, string>> = { good: '2eb886', warning: 'daa038', danger: 'a30200' };

function presentAttachment(attachment: Readonly<Record<string, unknown>>, index: number): Record<string, unknown> {
  const { color } = attachment;
  return {
    id: index + 1,
    fallback: '[no preview available]',
    ...attachment,
    ...(typeof color === 'string' && { color: COLORS[color] ?? color.replace('#', '') }),
  };
}

/** @param workspaceUrl with a trailing slash */
export function presentFile(file: SharedFile, workspaceUrl: string): Record<string, unknown> {
  const url = new URL(file.path, workspaceUrl).href;
  return {
    id: file.id,
    created: file.createdAt,
    timestamp: file.createdAt,
    name: file.name,
    title: file.title,
    mimetype: file.contentType,
    filetype: file.fileType,
    pretty_type: file.fileType.toUpperCase(),
    user: file.user,
    user_team: TEAM.id,
    editable: false,
    size: file.size,
    mode: 'hosted',
    is_external: false,
    external_type: '',
    is_public: true,
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    url_private: url,
    url_private_download: `${url}?download=1`,
    permalink: url,
    ...(file.altText !== null && { alt_txt: file.altText }),
    media_display_type: 'unknown',
    has_rich_preview: false,
    file_access: 'visible',
  };
}

/** Finds a person by id. */
interface People {
  findPerson(id: string): Person | null;
}

/** A channel with people of another workspace is shared with it by Slack Connect. */
export function isShared({ members }: Channel, people: People): boolean {
  return members.some((id) => (people.findPerson(id)?.teamId ?? TEAM.id) !== TEAM.id);
}

export function presentChannel(channel: Channel, people: People): Record<string, unknown> {
  if (channel.kind === 'im') {
    return {
      id: channel.id,
      created: channel.createdAt,
      is_im: true,
      is_archived: channel.isArchived,
      user: channel.members.find((member) => member !== BOT_USER_ID),
    };
  }
  return {
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === 'public',
    is_group: channel.kind === 'private',
    is_im: false,
    is_mpim: channel.kind === 'mpim',
    is_private: channel.kind !== 'public',
    is_archived: channel.isArchived,
    is_general: channel.name === 'general',
    is_member: channel.members.includes(BOT_USER_ID),
    is_shared: isShared(channel, people),
    is_ext_shared: isShared(channel, people),
    is_org_shared: false,
    is_pending_ext_shared: false,
    created: channel.createdAt,
    creator: channel.creator ?? 'USLACKBOT',
    topic: { value: channel.topic, creator: '', last_set: 0 },
    purpose: { value: channel.purpose, creator: '', last_set: 0 },
    num_members: channel.members.length,
    context_team_id: TEAM.id,
  };
}

export function presentPerson(person: Person, options: { withEmail: boolean }): Record<string, unknown> {
  return {
    id: person.id,
    team_id: person.teamId,
    name: person.name,
    real_name: person.realName,
    deleted: false,
    tz: person.timeZone,
    is_bot: person.isBot,
    is_app_user: false,
    is_restricted: person.isGuest,
    is_ultra_restricted: false,
    ...(person.teamId !== TEAM.id && { is_stranger: true }),
    is_admin: false,
    is_owner: false,
    profile: {
      real_name: person.realName,
      display_name: person.name,
      ...(options.withEmail && person.email !== null && { email: person.email }),
      ...(person.isBot && { api_app_id: appOf(person.id).app_id, bot_id: appOf(person.id).bot_id }),
    },
  };
}

export function presentView(view: View, values: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: view.id,
    team_id: TEAM.id,
    ...view.content,
    state: { values },
    hash: view.hash,
    previous_view_id: view.previousViewId,
    root_view_id: view.rootViewId,
    app_id: APP_ID,
    app_installed_team_id: TEAM.id,
    bot_id: BOT_ID,
  };
}

/** A time as in `event_ts` and `action_ts`. */
export function toTs(at: Date): string {
  return (at.getTime() / 1000).toFixed(6);
}
