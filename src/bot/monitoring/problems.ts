import { toRefusal } from '../messages/refusals.ts';
import { classifySlackError } from '../slack/errors.ts';
import type { Store } from '../store/store.ts';

/** Why messages are not being sent, according to the database, for all processes together. */
export interface MessageProblems {
  /** Why Slack refuses every call; null: it does not. */
  readonly token: string | null;
  /** By channel id: why it receives no messages, and what to do. */
  readonly channels: ReadonlyMap<string, string>;
  /** One sentence per API method that fails in all places, except for rate limits and refusals. */
  readonly outages: readonly string[];
}

export async function readMessageProblems(store: Pick<Store, 'cards' | 'pauses'>): Promise<MessageProblems> {
  const [pauses, refused] = await Promise.all([store.pauses.list(), store.cards.refused()]);
  const failing = pauses.filter(({ failures }) => failures > 0);
  const channels = new Map<string, string>();
  for (const { channelId, error } of refused) {
    channels.set(channelId, adviceOn(error));
  }
  for (const { placeId, call, reason } of failing) {
    if (placeId !== null && call === null) {
      channels.set(placeId, adviceOn(reason));
    }
  }
  const token = failing.find(({ placeId, call }) => placeId === null && call === null);
  return {
    token: token === undefined ? null : adviceOn(token.reason),
    channels,
    outages: failing.flatMap(({ call, placeId, reason, since, until }) =>
      call !== null && placeId === null && reason !== 'ratelimited' && until > since
        ? [`Slack returns errors for ${call} (${reason}); messages are stored and will be retried.`]
        : [],
    ),
  };
}

function adviceOn(reason: string): string {
  return toRefusal(classifySlackError(reason))?.advice ?? `Slack refuses messages (${reason}); retrying.`;
}
