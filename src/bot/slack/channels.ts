import { classifySlackFailure } from './errors.ts';
import type { ChannelId } from './identifiers.ts';
import type { SlackApi } from './methods.ts';

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

export async function join(api: SlackApi, channel: FoundChannel, setting: string): Promise<void> {
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
