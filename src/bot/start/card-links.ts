import type { Logger } from 'pino';
import { NotOfferedError, ServiceClientError, ServiceResponseError } from '../../client/errors.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { ChannelId } from '../domain/identifiers.ts';
import { classifySlackFailure } from '../slack/errors.ts';
import type { SlackApi } from '../slack/methods.ts';
import type { CardLinkStore, UnlinkedCard } from '../store/card-links.ts';
import type { InstallationStore } from '../store/installation.ts';

/** Cards per run, so that a burst of cards does not delay other background work. */
const MOST_AT_ONCE = 10;
/** Statuses that a retry would get again: the incident is gone or has too many cards, or the address is refused. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([404, 409, 422]);

/** Sends the service the addresses of the cards in Slack. */
export interface CardLinks {
  /** Sends up to `MOST_AT_ONCE` addresses. A later run retries those that failed temporarily. */
  run(stopping: AbortSignal): Promise<void>;
}

export function createCardLinks(deps: {
  readonly api: SlackApi;
  readonly service: Pick<ServiceClient, 'linkCard'>;
  readonly store: CardLinkStore;
  readonly installation: Pick<InstallationStore, 'integrationId'>;
  readonly logger: Logger;
}): CardLinks {
  const { api, service, store, installation, logger } = deps;
  const places = new Map<string, string>();
  let isOffered = true;

  async function placeOf(channelId: ChannelId): Promise<string> {
    const known = places.get(channelId);
    if (known !== undefined) {
      return known;
    }
    const { channel } = await api.conversations.info({ channel: channelId });
    const place = channel?.name === undefined ? channelId : `#${channel.name}`;
    places.set(channelId, place);
    return place;
  }

  async function link({ incidentId, channelId, ts }: UnlinkedCard): Promise<void> {
    const place = (await placeOf(channelId)).slice(0, 80);
    const { permalink } = await api.chat.getPermalink({ channel: channelId, message_ts: ts });
    if (permalink !== undefined) {
      const integrationId = await installation.integrationId();
      await service.linkCard(incidentId, {
        url: permalink,
        place,
        ...(integrationId === null ? {} : { integration_id: integrationId }),
      });
    }
  }

  return {
    async run(stopping) {
      if (!isOffered) {
        return;
      }
      for (const card of await store.unlinked(MOST_AT_ONCE)) {
        if (stopping.aborted) {
          return;
        }
        try {
          await link(card);
        } catch (error) {
          isOffered = !(error instanceof NotOfferedError);
          if (!isFinal(error)) {
            logger.debug({ err: error }, 'the service does not know yet where a card is');
            return;
          }
          logger.warn({ err: error, incidentId: card.incidentId }, 'the dashboard will not link to a card');
        }
        await store.markLinked(card);
      }
    },
  };
}

function isFinal(error: unknown): boolean {
  if (error instanceof ServiceClientError) {
    const isRefused = error instanceof ServiceResponseError && !(error instanceof NotOfferedError);
    return isRefused && FINAL_STATUSES.has(error.status);
  }
  return classifySlackFailure(error).kind === 'refused';
}
