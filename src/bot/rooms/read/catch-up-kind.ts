import { createKind, type EffectKind } from '../../../effects/performer.ts';
import { hoursToMilliseconds, minutesToMilliseconds } from '../../../runtime/dates.ts';
import type { SlackApi } from '../../slack/methods.ts';
import type { Tables } from '../../tables.ts';
import { endOf, failureOf, WORKSPACE } from '../../targets/slack-workspace.ts';
import { CATCH_UP_MS, type Reading, type ReadingStore } from './readings.ts';
import { postedByTool } from './tool-message.ts';

/** Slack sends an event again for six minutes. What the history has of the last day and was not kept was missed. */
const BACK_MS = hoursToMilliseconds(24);
const MOST_MESSAGES = 200;
/** The bot is not in the channel, or the channel is archived. */
const REFUSED_MS = minutesToMilliseconds(30);

/** Reads what an app said while no event arrived: at a start, and from time to time. It is over with its reading. */
export function createCatchUpKind(deps: {
  readonly api: Pick<SlackApi, 'conversations'>;
  readonly readings: Pick<ReadingStore, 'find' | 'keep'>;
  /** Called when something is to be sent to the service. */
  readonly onKept: () => void;
  readonly now: () => Date;
}): EffectKind<Tables> {
  const { api, readings, onKept, now } = deps;
  return createKind<Tables, Reading>({
    target: WORKSPACE,
    effectOf: ({ subject }) => ({
      async look() {
        const reading = await readings.find(subject);
        return reading === null ? { over: { outcome: {} } } : { seen: reading };
      },
      async call({ channelId, botId, createdAt }) {
        const since = Math.max(createdAt.getTime(), now().getTime() - BACK_MS) / 1_000;
        const { messages = [] } = await api.conversations.history({
          channel: channelId,
          oldest: since.toFixed(6),
          limit: MOST_MESSAGES,
        });
        for (const message of messages.toReversed()) {
          const said = postedByTool(channelId, message);
          if (said?.botId === botId && (await readings.keep(said))) {
            onKept();
          }
        }
        return { againInMs: CATCH_UP_MS };
      },
      failureOf,
    }),
    endOf: (effect, error) => endOf(effect, error, () => ({ againInMs: REFUSED_MS })),
  });
}
