import type { Logger } from 'pino';
import type { SubscriptionStore } from '../rooms/rules/subscriptions.ts';
import { findChannel, join } from '../slack/channels.ts';
import { classifySlackFailure } from '../slack/errors.ts';
import type { ChannelId } from '../slack/identifiers.ts';
import type { SlackApi } from '../slack/methods.ts';

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
  subscriptions: SubscriptionStore;
  logger: Logger;
}): Promise<string | null> {
  const { setting, api, subscriptions } = deps;
  if (setting === null) {
    await subscriptions.unsubscribeAll();
    return null;
  }
  const stored = (await subscriptions.list()).find((subscription) => subscription.setting === setting);
  if (stored !== undefined && (await isThere(api, stored.channelId))) {
    return stored.channelId;
  }
  const channel = await findChannel(api, setting);
  if (!channel.isMember) {
    await join(api, channel, setting);
  }
  if (stored !== undefined && stored.channelId !== channel.id) {
    await subscriptions.forget(stored.channelId);
  }
  await subscriptions.subscribe({ channelId: channel.id, setting });
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
