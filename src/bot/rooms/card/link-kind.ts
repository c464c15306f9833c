import { z } from 'zod';
import { NotOfferedError, ServiceClientError, ServiceResponseError } from '../../../client/errors.ts';
import type { ServiceClient } from '../../../client/service-client.ts';
import type { NewEffect } from '../../../effects/new-effects.ts';
import { createKind, type EffectKind } from '../../../effects/performer.ts';
import { failureOf } from '../../actions/service-failure.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import { classifySlackFailure } from '../../slack/errors.ts';
import type { ChannelId, IncidentId } from '../../slack/identifiers.ts';
import type { SlackApi } from '../../slack/methods.ts';
import type { Tables } from '../../tables.ts';

/** The service learns where a card is. Sent again when the card has a new address. */
export const CARD_LINK = 'card link';

const PLACE_LENGTH = 80;
/** Statuses that a retry would get again: the incident is gone or has too many cards, or the address is refused. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([404, 409, 422]);

const CardAt = z.object({ ts: z.string() });

/** @param ts of the card in the channel */
export function cardLink(incidentId: IncidentId, channelId: ChannelId, ts: string): NewEffect {
  return { kind: CARD_LINK, subject: incidentId, detail: channelId, data: { ts }, replaces: true };
}

interface Link {
  readonly url: string;
  readonly place: string;
  readonly integration_id?: string;
}

/** A service without our additions is never asked, and one that does not know cards is asked once. */
export function createCardLinkKind(deps: {
  readonly api: Pick<SlackApi, 'chat' | 'conversations'>;
  readonly service: Pick<ServiceClient, 'linkCard'>;
  readonly store: {
    readonly incidents: IncidentStore;
    readonly installation: { integrationId(): Promise<string | null> };
  };
}): EffectKind<Tables> {
  const { api, service, store } = deps;
  const places = new Map<string, string>();
  let isOffered = true;

  async function placeOf(channelId: string): Promise<string> {
    const known = places.get(channelId);
    if (known !== undefined) {
      return known;
    }
    const { channel } = await api.conversations.info({ channel: channelId });
    const place = channel?.name === undefined ? channelId : `#${channel.name}`;
    places.set(channelId, place.slice(0, PLACE_LENGTH));
    return place;
  }

  return createKind<Tables, Link>({
    target: 'incident service',
    effectOf: ({ subject, detail, data }) => ({
      async look() {
        const known = isOffered ? await store.incidents.find(subject) : null;
        if (known?.incident.mute === undefined) {
          return { over: { outcome: {} } };
        }
        const { ts } = CardAt.parse(data);
        const place = await placeOf(detail);
        const { permalink = '' } = await api.chat.getPermalink({ channel: detail, message_ts: ts });
        const integrationId = await store.installation.integrationId();
        return { seen: { url: permalink, place, ...(integrationId !== null && { integration_id: integrationId }) } };
      },
      async call(link) {
        await service.linkCard(subject, link);
        return { outcome: link };
      },
      failureOf,
    }),
    endOf(_effect, error) {
      isOffered &&= !(error instanceof NotOfferedError);
      return isFinal(error) ? { outcome: {}, isRefused: true } : null;
    },
  });
}

function isFinal(error: unknown): boolean {
  if (error instanceof NotOfferedError) {
    return true;
  }
  if (error instanceof ServiceClientError) {
    return error instanceof ServiceResponseError && FINAL_STATUSES.has(error.status);
  }
  return classifySlackFailure(error).kind === 'refused';
}
