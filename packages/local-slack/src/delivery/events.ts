import type { Channel, Message } from '../workspace/model.ts';
import { presentMessage } from '../workspace/present.ts';
import { BOT_USER_ID, TEAM } from '../workspace/seed.ts';
import type { MessageChange, WorkspaceChange } from '../workspace/workspace-change.ts';
import { pinEvents } from './pin-events.ts';
import type { AppEvent, Payload } from './subscriptions.ts';

/** The names of each kind of conversation in events and scopes. */
const KINDS = {
  public: { type: 'channel', letter: 'C', event: 'message.channels', prefix: 'channels' },
  private: { type: 'group', letter: 'G', event: 'message.groups', prefix: 'groups' },
  im: { type: 'im', letter: 'D', event: 'message.im', prefix: 'im' },
  mpim: { type: 'mpim', letter: 'G', event: 'message.mpim', prefix: 'mpim' },
} as const;

export interface EventContext {
  readonly channelOf: (id: string) => Channel | null;
  readonly parentOf: (message: Message) => Message | null;
  readonly pinsIn: (channelId: string) => number;
  /** The `event_ts` of the events. */
  readonly ts: string;
  /** `link_shared` is sent for links to these domains and their subdomains. */
  readonly unfurlDomains: readonly string[];
}

/** All events for a change, as if the app subscribed to everything. */
export function eventsOf(change: WorkspaceChange, context: EventContext): AppEvent[] {
  if (change.kind === 'channel') {
    return [
      ...archiveEvents(change.before, change.after, context),
      ...memberEvents(change.before, change.after, context),
    ];
  }
  const { channel: id } = change.kind === 'changed' ? change.after : change.message;
  const channel = context.channelOf(id);
  if (channel === null) {
    return [];
  }
  switch (change.kind) {
    case 'posted':
      return postedEvents(change.message, channel, context);
    case 'changed':
      return changedEvents(change, channel, context);
    case 'deleted':
      return messageEvent(channel, {
        subtype: 'message_deleted',
        deleted_ts: change.message.ts,
        previous_message: presentMessage(change.message, { withMetadata: false }),
        ...hidden(channel, context.ts),
      });
  }
}

function postedEvents(message: Message, channel: Channel, context: EventContext): AppEvent[] {
  const parent = message.threadTs === null ? null : context.parentOf(message);
  const event = {
    ...presentMessage(message, { withMetadata: false }),
    ...(parent !== null && { parent_user_id: parent.user }),
    channel: channel.id,
    event_ts: message.ts,
  };
  return [
    ...messageEvent(channel, {
      ...event,
      ...(message.files.length > 0 && { subtype: 'file_share' }),
      channel_type: KINDS[channel.kind].type,
    }),
    ...mentionEvents(message, channel, event),
    ...linkEvents(message, channel, context),
  ];
}

/** `message_changed` is about the content. Pins have events of their own. */
function changedEvents(change: MessageChange, channel: Channel, context: EventContext): AppEvent[] {
  const { before, after } = change;
  const isSame =
    before.text === after.text && before.blocks === after.blocks && before.attachments === after.attachments;
  const event = {
    subtype: 'message_changed',
    message: presentMessage(after, { withMetadata: false }),
    previous_message: presentMessage(before, { withMetadata: false }),
    ...hidden(channel, context.ts),
  };
  return [
    ...(isSame ? [] : messageEvent(channel, event)),
    ...(isInside(channel) ? pinEvents(change, context.pinsIn(after.channel), context.ts) : []),
  ];
}

/** Direct messages have no `app_mention`: https://docs.slack.dev/reference/events/app_mention */
function mentionEvents(message: Message, channel: Channel, event: Payload): AppEvent[] {
  const isMention = message.text.includes(`<@${BOT_USER_ID}>`);
  return isMention && !message.isFromApp && isInside(channel) && channel.kind !== 'im'
    ? [{ subscription: 'app_mention', scope: 'app_mentions:read', event: { ...event, type: 'app_mention' } }]
    : [];
}

/** Also sent for conversations without the app: https://docs.slack.dev/reference/events/link_shared */
function linkEvents(message: Message, channel: Channel, context: EventContext): AppEvent[] {
  const addresses = [...message.text.matchAll(/https?:\/\/[^\s<>|]+/g)].map(([address]) =>
    address.replaceAll('&amp;', '&'),
  );
  const links = [...new Set(addresses)].flatMap((url) => {
    const host = URL.parse(url)?.hostname ?? '';
    const domain = context.unfurlDomains.find((each) => host === each || host.endsWith(`.${each}`));
    return domain === undefined ? [] : [{ url, domain: host }];
  });
  if (links.length === 0 || message.isFromApp) {
    return [];
  }
  const event = {
    type: 'link_shared',
    channel: channel.id,
    is_bot_user_member: isInside(channel),
    user: message.user,
    message_ts: message.ts,
    ...(message.threadTs !== null && { thread_ts: message.threadTs }),
    unfurl_id: `${channel.id}-${message.ts}`,
    source: 'conversations_history',
    links,
    event_ts: context.ts,
  };
  return [{ subscription: 'link_shared', scope: 'links:read', event }];
}

/** Sent for channels that the app is in, and always when the app itself joins or leaves. */
function memberEvents(before: Channel, after: Channel, context: EventContext): AppEvent[] {
  const memberEvent = (user: string, subscription: 'member_joined_channel' | 'member_left_channel'): AppEvent[] => {
    const { letter, prefix } = KINDS[after.kind];
    const event = {
      type: subscription,
      user,
      channel: after.id,
      channel_type: letter,
      team: TEAM.id,
      event_ts: context.ts,
    };
    return isInside(after) || user === BOT_USER_ID ? [{ subscription, scope: `${prefix}:read`, event }] : [];
  };
  return [
    ...after.members
      .filter((user) => !before.members.includes(user))
      .flatMap((user) => memberEvent(user, 'member_joined_channel')),
    ...before.members
      .filter((user) => !after.members.includes(user))
      .flatMap((user) => memberEvent(user, 'member_left_channel')),
  ];
}

function archiveEvents(before: Channel, after: Channel, context: EventContext): AppEvent[] {
  const { type, prefix } = KINDS[after.kind];
  if (before.isArchived === after.isArchived || !isInside(after) || (type !== 'channel' && type !== 'group')) {
    return [];
  }
  const subscription = after.isArchived ? (`${type}_archive` as const) : (`${type}_unarchive` as const);
  const event = { type: subscription, channel: after.id, event_ts: context.ts };
  return [{ subscription, scope: `${prefix}:read`, event }];
}

/** A `message` event for an app that is subscribed to this kind of conversation. */
function messageEvent(channel: Channel, event: Payload): AppEvent[] {
  const { event: subscription, prefix } = KINDS[channel.kind];
  return isInside(channel) ? [{ subscription, scope: `${prefix}:history`, event: { type: 'message', ...event } }] : [];
}

function hidden(channel: Channel, ts: string): Payload {
  return { hidden: true, channel: channel.id, channel_type: KINDS[channel.kind].type, ts, event_ts: ts };
}

function isInside(channel: Channel): boolean {
  return channel.members.includes(BOT_USER_ID);
}
