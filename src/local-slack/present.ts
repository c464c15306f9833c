import type { Channel, Message, Person, View } from './model.ts';
import { APP_ID, BOT_ID, BOT_USER_ID, TEAM } from './seed.ts';

/** How Slack writes a message in its answers; replies give a parent its thread counts. */
export function presentMessage(
  message: Message,
  options: { withMetadata: boolean; replies?: readonly Message[] },
): Record<string, unknown> {
  const replies = options.replies ?? [];
  return {
    type: 'message',
    user: message.user,
    ts: message.ts,
    text: message.text,
    team: TEAM.id,
    ...(message.isFromApp && { bot_id: BOT_ID, app_id: APP_ID }),
    ...(message.blocks.length > 0 && { blocks: message.blocks }),
    ...(message.attachments.length > 0 && { attachments: message.attachments }),
    ...(message.isEdited && { edited: { user: message.user, ts: message.ts } }),
    ...(message.threadTs !== null && { thread_ts: message.threadTs }),
    ...(replies.length > 0 && {
      thread_ts: message.ts,
      reply_count: replies.length,
      reply_users: [...new Set(replies.map((reply) => reply.user))],
      latest_reply: replies.at(-1)?.ts,
    }),
    ...(options.withMetadata && message.metadata !== null && { metadata: message.metadata }),
  };
}

export function presentChannel(channel: Channel): Record<string, unknown> {
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
    is_mpim: false,
    is_private: channel.kind === 'private',
    is_archived: channel.isArchived,
    is_general: channel.name === 'general',
    is_member: channel.members.includes(BOT_USER_ID),
    created: channel.createdAt,
    topic: { value: channel.topic, creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
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
      ...(person.isBot && { api_app_id: APP_ID, bot_id: BOT_ID }),
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

/** A moment as Slack writes it in `event_ts` and `action_ts`. */
export function toTs(at: Date): string {
  return (at.getTime() / 1000).toFixed(6);
}
