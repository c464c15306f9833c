import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { REQUEST_LIMITS } from '../contract/requests.ts';
import { classifySlackFailure, slackErrorCode } from './slack-errors.ts';
import type { SlackApi } from './slack-methods.ts';
import type { SlackMessage } from './views/message.ts';

/** Names change and people leave, so what is known of them is asked again after this. */
const NAME_TTL_MS = 10 * 60_000;
const MAX_NAMES = 5_000;
/** A longer limit than this is no answer any more. */
const LONGEST_LIMIT_MS = 60_000;
const MAX_TRIES = 3;

export interface People {
  /** How the service is told who acts: the e-mail where Slack gives it, else the name, else the Slack id. */
  nameOf(slackUserId: string): Promise<string>;
  /** Says something to one person: where they are, or in the direct messages if that is not possible. */
  tell(person: { slackUserId: string; channelId: string | null }, message: SlackMessage): Promise<void>;
  /** Says something that must still be there when they come back: in the direct messages. */
  tellLater(slackUserId: string, message: SlackMessage): Promise<void>;
}

export function createPeople(deps: { api: SlackApi; logger: Logger }): People {
  const { api, logger } = deps;
  const names = new LRUCache<string, string>({ max: MAX_NAMES, ttl: NAME_TTL_MS });

  async function tellLater(slackUserId: string, message: SlackMessage): Promise<void> {
    try {
      await waitingOutLimits(() => api.chat.postMessage({ channel: slackUserId, ...message, ...QUIET }));
    } catch (error) {
      logger.error({ slackUserId, reason: slackErrorCode(error) }, 'a person could not be told');
    }
  }

  return {
    async nameOf(slackUserId) {
      const cached = names.get(slackUserId);
      if (cached !== undefined) {
        return cached;
      }
      try {
        const { user } = await api.users.info({ user: slackUserId });
        const candidates = [user?.profile?.email, user?.profile?.display_name, user?.real_name, user?.name];
        const found = candidates.map((name) => name?.trim() ?? '').find((name) => name !== '') ?? slackUserId;
        const name = found.slice(0, REQUEST_LIMITS.user).toWellFormed();
        names.set(slackUserId, name);
        return name;
      } catch (error) {
        logger.warn({ slackUserId, reason: slackErrorCode(error) }, 'Slack does not tell who this is; the id is used');
        return slackUserId;
      }
    },

    async tell({ slackUserId, channelId }, message) {
      if (channelId === null) {
        return tellLater(slackUserId, message);
      }
      try {
        await waitingOutLimits(() => api.chat.postEphemeral({ channel: channelId, user: slackUserId, ...message }));
      } catch (error) {
        logger.info(
          { channelId, reason: slackErrorCode(error) },
          'no answer possible in that channel, so by direct message',
        );
        await tellLater(slackUserId, message);
      }
    },

    tellLater,
  };
}

/** No previews of links in what we post. */
export const QUIET = { unfurl_links: false, unfurl_media: false } as const;

/** A limit is no reason to leave a person without an answer. */
async function waitingOutLimits<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const failure = classifySlackFailure(error);
      if (failure.kind !== 'rate-limited' || failure.retryAfterMs > LONGEST_LIMIT_MS || tries >= MAX_TRIES) {
        throw error;
      }
      await sleep(failure.retryAfterMs, undefined, { ref: false });
    }
  }
}
