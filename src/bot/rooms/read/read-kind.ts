import { ServiceClientError } from '../../../client/errors.ts';
import type { ServiceClient } from '../../../client/service-client.ts';
import { createKind, type EffectKind } from '../../../effects/performer.ts';
import { failureOf, refusedReason } from '../../actions/service-failure.ts';
import { classifySlackFailure } from '../../slack/errors.ts';
import type { ChannelId } from '../../slack/identifiers.ts';
import type { SlackApi } from '../../slack/methods.ts';
import type { Tables } from '../../tables.ts';
import { readingStopped } from './read-words.ts';
import { MOST_TOGETHER, type Reading, type ReadingStore, stopReading, type UnsentMessage } from './readings.ts';

/** The preset that reads what `eventsOf` makes. */
const PRESET = 'slack_message';
const NAME_LENGTH = 200;
/** Requests before others have their turn. */
const MOST_AT_ONCE = 20;

/** Ends with the reading: the service has no such integration any more, or makes none. */
class NoIntegrationError extends Error {
  override readonly name = 'NoIntegrationError';
}

/**
 * The service gets what an app said, in its order, as events of an integration of type `json`. Keyed by channel, message and
 * edit: the first of those that are sent together, which are the same at each attempt.
 */
export function createReadKind(deps: {
  readonly service: Pick<ServiceClient, 'createIntegration' | 'handOverEvents'>;
  readonly api: Pick<SlackApi, 'chat' | 'conversations'>;
  readonly readings: ReadingStore;
}): EffectKind<Tables> {
  const { service, api, readings } = deps;
  /** Permalinks of a channel up to the message. */
  const places = new Map<ChannelId, string>();

  async function makeIntegration({ id, channelId, botId, botName }: Reading): Promise<string> {
    const { channel } = await api.conversations.info({ channel: channelId });
    const ids = ` (${channelId} ${botId})`;
    const name = `${`Slack #${channel?.name ?? channelId}: ${botName}`.slice(0, NAME_LENGTH - ids.length)}${ids}`;
    const made = await service.createIntegration({ type: 'json', name, config: { preset: PRESET } }).catch((error) => {
      const reason = error instanceof ServiceClientError ? refusedReason(error) : null;
      throw reason === null ? error : new NoIntegrationError('the service made no integration', { cause: error });
    });
    if (made === null) {
      throw new NoIntegrationError('the service did not say which integration it made');
    }
    await readings.setIntegration(id, made.id);
    return made.id;
  }

  async function permalinkOf(channelId: ChannelId, ts: string): Promise<string> {
    const ending = `p${ts.replace('.', '')}`;
    const place = places.get(channelId);
    if (place !== undefined) {
      return place + ending;
    }
    try {
      const { permalink = '' } = await api.chat.getPermalink({ channel: channelId, message_ts: ts });
      if (permalink.endsWith(ending)) {
        places.set(channelId, permalink.slice(0, -ending.length));
      }
      return permalink;
    } catch (error) {
      if (classifySlackFailure(error).kind === 'refused') {
        return ''; // it was deleted meanwhile
      }
      throw error;
    }
  }

  async function linked(reading: Reading, unsent: UnsentMessage): Promise<string> {
    if (unsent.permalink !== null) {
      return unsent.permalink;
    }
    const permalink = await permalinkOf(reading.channelId, unsent.firstTs);
    await readings.setPermalink(unsent.seq, permalink); // a repetition is the same request
    return permalink;
  }

  async function send(integrationId: string, reading: Reading, together: readonly UnsentMessage[]): Promise<void> {
    const { channelId, botName: tool } = reading;
    const events = [];
    for (const unsent of together) {
      events.push(...eventsOf(unsent, { tool, permalink: await linked(reading, unsent) }));
    }
    const [first] = together;
    for (let from = 0; from < events.length; from += MOST_TOGETHER) {
      const part = events.slice(from, from + MOST_TOGETHER);
      const key = `slack ${channelId} ${first?.ts} ${first?.saidAt} ${from}`;
      await service.handOverEvents(integrationId, part, key).catch((error) => {
        const reason = error instanceof ServiceClientError ? refusedReason(error) : null;
        if (reason?.kind === 'unknown-incident') {
          throw new NoIntegrationError('the service has no such integration', { cause: error });
        }
        if (reason?.kind !== 'rejected') {
          throw error;
        } // else the page of the integration has it, and why
      });
    }
    await readings.markSent(together);
  }

  return createKind<Tables, Reading>({
    target: 'incident service',
    effectOf: ({ subject }) => ({
      async look() {
        const reading = await readings.find(subject);
        return reading === null ? { over: { outcome: {} } } : { seen: reading };
      },
      async call(reading) {
        const integrationId = reading.integrationId ?? (await makeIntegration(reading));
        for (let sent = 0; sent < MOST_AT_ONCE; sent += 1) {
          const together = await readings.next(reading.id);
          if (together.length === 0) {
            return { outcome: {} };
          }
          await send(integrationId, reading, together);
        }
        return { againInMs: 0 };
      },
      failureOf,
    }),
    endOf: ({ subject }, error) =>
      error instanceof NoIntegrationError
        ? {
            outcome: { error: error.message },
            isRefused: true,
            also: async (tx) => {
              await stopReading(tx, subject, (reading) => readingStopped(reading, error.message));
            },
          }
        : null,
  });
}

/** What a mapping reads: each alert of a message, with the title that it had first. */
export function eventsOf(
  { alerts, first, change, saidAt }: Pick<UnsentMessage, 'alerts' | 'first' | 'change' | 'saidAt'>,
  about: { readonly tool: string; readonly permalink: string },
): Record<string, unknown>[] {
  const at = new Date(Number(saidAt) * 1_000).toISOString();
  return alerts.map((alert, index) => {
    const subject = (first[index] ?? (alerts.length === 1 ? first[0] : undefined))?.title ?? alert.title;
    const said = Object.entries({ ...alert, ...about }).filter(([, value]) => value !== '');
    return { subject, ...Object.fromEntries(said), change, at };
  });
}
