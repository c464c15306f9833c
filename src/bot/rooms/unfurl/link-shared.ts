import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import type { LinkSharedEvent } from '@slack/types';
import { ServiceClientError } from '../../../client/errors.ts';
import type { Incident, Signal } from '../../../contract/resources.ts';
import { resolveReference } from '../../listeners/answering.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { slackErrorCode } from '../../slack/errors.ts';
import type { ChannelId } from '../../slack/identifiers.ts';
import type { CardStore } from '../card/cards.ts';
import { type LinkTarget, parseLink } from './parse-link.ts';
import { type Unfurl, unfurlIncident, unfurlSignal } from './unfurl-view.ts';

/** What this room needs beside what all listeners share. */
export type UnfurlDeps = ListenerDeps<{ readonly cards: Pick<CardStore, 'exists'> }> & {
  /** Address of the dashboard, without a slash at the end; null: links are not unfurled. */
  readonly publicUrl: string | null;
};

const MAX_LINKS = 5;
/** In larger channels, members are not looked up, and only incidents with a card there are unfurled. */
const MAX_MEMBERS = 50;

type Found =
  | { readonly signal: null; readonly incident: Incident }
  /** `incident` is null if the signal belongs to none. */
  | { readonly signal: Signal; readonly incident: Incident | null };

type LinkArgs = SlackEventMiddlewareArgs<'link_shared'> & AllMiddlewareArgs;

/**
 * Unfurls links to the dashboard where everybody may see incidents: in a channel with the incident's card, or in one
 * that the bot is a member of and that has no guests and no other workspace. A link in a message that is still being
 * written is not unfurled, because its channel is not known.
 */
export function createLinkListener(deps: UnfurlDeps) {
  return async ({ event, body }: LinkArgs): Promise<void> => {
    const { publicUrl } = deps;
    if (publicUrl === null || event.source === 'composer') {
      return;
    }
    const targets = event.links.flatMap(({ url }) => {
      const target = parseLink(url, publicUrl);
      return target === null ? [] : [{ url, target }];
    });
    if (targets.length === 0 || (await deps.people.find(event.user)).standing !== 'member') {
      return;
    }
    const isForMembers = await isChannelForMembers(deps, event, body.is_ext_shared_channel === true);
    const unfurls: Record<string, Unfurl> = {};
    for (const { url, target } of targets.slice(0, MAX_LINKS)) {
      const found = await find(deps, target);
      if (found !== null && (isForMembers || (await hasCard(deps, event.channel, found)))) {
        unfurls[url] = render(found, deps.now());
      }
    }
    if (Object.keys(unfurls).length === 0) {
      return;
    }
    try {
      await deps.api.chat.unfurl({ channel: event.channel, ts: event.message_ts, unfurls });
    } catch (error) {
      deps.logger.warn({ channelId: event.channel, reason: slackErrorCode(error) }, 'a link could not be unfurled');
    }
  };
}

async function find(deps: UnfurlDeps, { kind, reference }: LinkTarget): Promise<Found | null> {
  try {
    if (kind === 'incident') {
      const id = await resolveReference(deps.store, reference);
      return { incident: await deps.service.getIncident(id), signal: null };
    }
    const signal = await deps.service.getSignal(reference);
    const { incident_id: incidentId } = signal;
    return { incident: incidentId === undefined ? null : await deps.service.getIncident(incidentId), signal };
  } catch (error) {
    if (!(error instanceof ServiceClientError)) {
      throw error;
    }
    deps.logger.info({ err: error }, 'the target of a link could not be read');
    return null;
  }
}

function render(found: Found, now: Date): Unfurl {
  return found.signal === null ? unfurlIncident(found.incident, now) : unfurlSignal(found.signal, found.incident, now);
}

async function hasCard({ store }: UnfurlDeps, channelId: ChannelId, { incident }: Found): Promise<boolean> {
  return incident !== null && (await store.cards.exists(incident.id, channelId));
}

/** @param isShared Slack says that the channel is shared with another workspace */
async function isChannelForMembers(
  { api, people, logger }: UnfurlDeps,
  { channel: channelId, is_bot_user_member: isInside }: LinkSharedEvent,
  isShared: boolean,
): Promise<boolean> {
  if (!isInside || isShared) {
    return false;
  }
  if (channelId.startsWith('D')) {
    return true; // only the bot and the person, who is a member
  }
  try {
    const { channel } = await api.conversations.info({ channel: channelId });
    if (channel?.is_ext_shared !== false || channel.is_pending_ext_shared === true) {
      return false;
    }
    const { members = [], response_metadata: more } = await api.conversations.members({
      channel: channelId,
      limit: MAX_MEMBERS,
    });
    if ((more?.next_cursor ?? '') !== '') {
      return false;
    }
    const found = await Promise.all(members.map((member) => people.find(member)));
    return found.every(({ standing }) => standing === 'member' || standing === 'bot');
  } catch (error) {
    logger.info({ channelId, reason: slackErrorCode(error) }, 'the members of a channel could not be read');
    return false;
  }
}
