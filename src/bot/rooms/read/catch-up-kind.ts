import { z } from 'zod';
import { createKind, type EffectKind } from '../../../effects/performer.ts';
import { hoursToMilliseconds, minutesToMilliseconds } from '../../../runtime/dates.ts';
import type { SlackApi } from '../../slack/methods.ts';
import type { Tables } from '../../tables.ts';
import { endOf, failureOf, WORKSPACE } from '../../targets/slack-workspace.ts';
import { CATCH_UP_MS, type Reading, type ReadingStore } from './readings.ts';
import { postedByTool, type ToolMessage } from './tool-message.ts';

/** Slack sends an event again for six minutes. What the history has of the last day and was not kept was missed. */
const BACK_MS = hoursToMilliseconds(24);
const PAGE = 200;
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
  do {
    const page = await read({ limit: PAGE, cursor });
    messages.push(...(page.messages ?? []));
    cursor = page.response_metadata?.next_cursor ?? '';
  } while (cursor !== '');
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

  async function keep(all: readonly (ToolMessage | null)[], { botId }: Reading): Promise<void> {
    for (const said of all) {
      if (said?.botId === botId && (await readings.keep(said))) {
        onKept();
      }
    }
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
        await keep(
          messages.toReversed().map((message) => postedByTool(channel, message)),
          reading,
        );
        const threads = messages
          .filter(({ latest_reply: latest = '' }) => latest > repliesTo)
          .filter((message) => postedByTool(channel, message)?.botId === reading.botId)
          .map(({ ts = '', latest_reply: latest = '' }) => ({ ts, latest }))
          .toSorted((one, other) => (one.latest < other.latest ? -1 : 1));
        const next = threads.slice(0, MOST_THREADS);
        for (const { ts } of next) {
          const replies = await readPages((page) => api.conversations.replies({ channel, ts, oldest, ...page }));
          await keep(
            replies.map((reply) => postedByTool(channel, reply)),
            reading,
          );
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
