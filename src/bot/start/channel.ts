import type { Logger } from 'pino';
import type { ChannelId } from '../domain/identifiers.ts';
import { classifySlackFailure } from '../slack/errors.ts';
import type { SlackApi } from '../slack/methods.ts';
import type { ChannelStore } from '../store/channels.ts';

const PAGE_SIZE = 200;
const MAX_PAGES = 100;
const CHANNEL_ID = /^[CG][A-Z0-9]{6,}$/;

/** INCIDENTS_CHANNEL cannot be used. The message says what to do. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
}

interface FoundChannel {
  readonly id: string;
  readonly isMember: boolean;
  readonly isPrivate: boolean;
}

/**
 * Subscribes the channel of INCIDENTS_CHANNEL to incident cards. Its id is looked up once and stored while the channel
 * exists, because names change, and listing channels is slow and rate limited.
 *
 * @param setting an id or `#name`; null: no cards
 * @returns the channel's id
 * @throws ChannelError, or errors of Slack's client
 */
export async function ensureChannel(deps: {
  setting: string | null;
  api: SlackApi;
  channels: ChannelStore;
  logger: Logger;
}): Promise<string | null> {
  const { setting, api, channels } = deps;
  if (setting === null) {
    await channels.unsubscribeAll();
    return null;
  }
  const stored = (await channels.subscriptions()).find((subscription) => subscription.setting === setting);
  if (stored !== undefined && (await isThere(api, stored.channelId))) {
    return stored.channelId;
  }
  const channel = await findChannel(api, setting);
  if (!channel.isMember) {
    await join(api, channel, setting);
  }
  if (stored !== undefined && stored.channelId !== channel.id) {
    await channels.forget(stored.channelId);
  }
  await channels.subscribe({ channelId: channel.id, setting });
  deps.logger.info({ channelId: channel.id }, 'incident cards go to this channel');
  return channel.id;
}

/** A channel counts as existing unless Slack says otherwise. */
async function isThere(api: SlackApi, channelId: ChannelId): Promise<boolean> {
  try {
    await api.conversations.info({ channel: channelId });
    return true;
  } catch (error) {
    return classifySlackFailure(error).error !== 'channel_not_found';
  }
}

/** @throws ChannelError when no visible channel has that id or name, or errors of Slack's client */
export function findChannel(api: SlackApi, setting: string): Promise<FoundChannel> {
  return CHANNEL_ID.test(setting) ? findById(api, setting) : findByName(api, setting);
}

async function findById(api: SlackApi, channelId: ChannelId): Promise<FoundChannel> {
  try {
    const { channel } = await api.conversations.info({ channel: channelId });
    return { id: channelId, isMember: channel?.is_member === true, isPrivate: channel?.is_private === true };
  } catch (error) {
    if (classifySlackFailure(error).error === 'channel_not_found') {
      throw new ChannelError(notFound(channelId), { cause: error });
    }
    throw error;
  }
}

async function findByName(api: SlackApi, setting: string): Promise<FoundChannel> {
  const name = setting.replace(/^#/, '').toLowerCase();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const list = await api.conversations.list({
      types: 'public_channel,private_channel',
      exclude_archived: true,
      limit: PAGE_SIZE,
      ...(cursor !== undefined && { cursor }),
    });
    const found = list.channels?.find((channel) => channel.name === name || channel.name_normalized === name);
    if (found?.id !== undefined) {
      return { id: found.id, isMember: found.is_member === true, isPrivate: found.is_private === true };
    }
    cursor = list.response_metadata?.next_cursor;
    if (cursor === undefined || cursor === '') {
      break;
    }
  }
  throw new ChannelError(notFound(setting));
}

/** Joins a channel that somebody chose. @throws ChannelError when the bot cannot join, or errors of Slack's client */
export async function joinChannel(api: SlackApi, channelId: ChannelId): Promise<void> {
  const channel = await findById(api, channelId);
  if (!channel.isMember) {
    await join(api, channel, `<#${channelId}>`);
  }
}

async function join(api: SlackApi, channel: FoundChannel, setting: string): Promise<void> {
  if (channel.isPrivate) {
    throw new ChannelError(`The bot is not in ${setting}: invite it there with /invite.`);
  }
  try {
    await api.conversations.join({ channel: channel.id });
  } catch (error) {
    const failure = classifySlackFailure(error);
    if (failure.kind !== 'refused') {
      throw error;
    }
    throw new ChannelError(`The bot cannot join ${setting} (${failure.error}): invite it there with /invite.`, {
      cause: error,
    });
  }
}

function notFound(setting: string): string {
  return `The bot cannot find the channel ${setting}: correct INCIDENTS_CHANNEL, or invite the bot with /invite if the channel is private.`;
}
