import { z } from 'zod';
import { createKind, type EffectKind } from '../../../effects/performer.ts';
import { hoursToMilliseconds, minutesToMilliseconds } from '../../../runtime/dates.ts';
import type { SlackApi } from '../../slack/methods.ts';
import type { Tables } from '../../tables.ts';
import { endOf, failureOf, WORKSPACE } from '../../targets/slack-workspace.ts';
import { CATCH_UP_MS, type Reading, type ReadingStore } from './readings.ts';
import { postedByTool } from './tool-message.ts';

/** Slack sends an event again for six minutes. What the history has of the last day and was not kept was missed. */
const BACK_MS = hoursToMilliseconds(24);
const PAGE = 200;
/** Pages of one call: the newest 5,000 messages. Slack allows about fifty calls a minute, and each try begins anew. */
const MOST_PAGES = 25;
/** Threads that are read at a time. Slack allows about fifty calls a minute. */
const MOST_THREADS = 20;
const MORE_THREADS_MS = minutesToMilliseconds(1);
/** The bot is not in the channel, or the channel is archived. */
const REFUSED_MS = minutesToMilliseconds(30);

/** The newest reply of the threads that were read. */
const Data = z.object({ repliesTo: z.string().default('') });

interface Page {
  readonly messages?: readonly { readonly ts?: string; readonly latest_reply?: string }[];
  readonly response_metadata?: { readonly next_cursor?: string };
}

async function readPages(read: (position: { limit: number; cursor: string }) => Promise<Page>) {
  const messages: NonNullable<Page['messages']>[number][] = [];
  let cursor = '';
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { messages: found = [], response_metadata: next } = await read({ limit: PAGE, cursor });
    messages.push(...found);
    cursor = next?.next_cursor ?? '';
    if (cursor === '') {
      break;
    }
  }
  return messages;
}

/** Reads what an app said while no event arrived: at a start, and from time to time. It is over with its reading. */
export function createCatchUpKind(deps: {
  readonly api: Pick<SlackApi, 'conversations'>;
  readonly readings: Pick<ReadingStore, 'find' | 'keep'>;
  /** Called when something is to be sent to the service. */
  readonly onKept: () => void;
  readonly now: () => Date;
}): EffectKind<Tables> {
  const { api, readings, onKept, now } = deps;

  /** @returns those of the app */
  async function keep(messages: NonNullable<Page['messages']>, { channelId, botId }: Reading) {
    const own = messages.flatMap((message) => {
      const said = postedByTool(channelId, message);
      return said?.botId === botId ? [{ said, latest: message.latest_reply ?? '' }] : [];
    });
    for (const { said } of own) {
      if (await readings.keep(said)) {
        onKept();
      }
    }
    return own;
  }

  return createKind<Tables, Reading>({
    target: WORKSPACE,
    effectOf: ({ subject, data }) => ({
      async look() {
        const reading = await readings.find(subject);
        return reading === null ? { over: { outcome: {} } } : { seen: reading };
      },
      async call(reading) {
        const { channelId: channel, createdAt } = reading;
        const { repliesTo } = Data.parse(data);
        const oldest = (Math.max(createdAt.getTime(), now().getTime() - BACK_MS) / 1_000).toFixed(6);
        const messages = await readPages((page) => api.conversations.history({ channel, oldest, ...page }));
        const own = await keep(messages.toReversed(), reading);
        const threads = own
          .filter(({ latest }) => latest > repliesTo)
          .toSorted((one, other) => (one.latest < other.latest ? -1 : 1));
        const next = threads.slice(0, MOST_THREADS);
        for (const { said } of next) {
          const thread = { channel, ts: said.ts, oldest };
          await keep(await readPages((page) => api.conversations.replies({ ...thread, ...page })), reading);
        }
        return {
          againInMs: next.length < threads.length ? MORE_THREADS_MS : CATCH_UP_MS,
          data: { repliesTo: next.at(-1)?.latest ?? repliesTo },
        };
      },
      failureOf,
    }),
    endOf: (effect, error) => endOf(effect, error, () => ({ againInMs: REFUSED_MS })),
  });
}
