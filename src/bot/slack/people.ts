import type { UsersInfoResponse } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { REQUEST_LIMITS } from '../../contract/requests.ts';
import { type Clock, sleep } from '../../runtime/clock.ts';
import type { SlackMessage } from '../views/message.ts';
import { classifySlackFailure, slackErrorCode } from './errors.ts';
import type { SlackApi } from './methods.ts';

/** Names change and people leave, so what is known of them is asked again after this. */
const NAME_TTL_MS = 10 * 60_000;
const MAX_NAMES = 5_000;
/** A longer limit than this is no answer any more. */
const LONGEST_LIMIT_MS = 60_000;
const MAX_TRIES = 3;
const NOT_AMONG_US = new Set(['user_not_found', 'user_not_visible']);

/** Whether somebody may act: guests and people of other workspaces may not. */
export type Standing = 'member' | 'guest' | 'stranger';

/** How the service is told who acts. What Slack does not tell is replaced by what comes after it. */
export const NAMINGS = ['email', 'name', 'id'] as const;
export type Naming = (typeof NAMINGS)[number];

export interface People {
  /** How the service is told who acts. */
  nameOf(slackUserId: string): Promise<string>;
  /** The same, if Slack has told it lately; null: it has to be asked. */
  knownName(slackUserId: string): string | null;
  standingOf(slackUserId: string): Promise<Standing>;
  /**
   * Says something to one person: where they are, or in the direct messages if that is not possible.
   *
   * @throws what Slack's client throws, when they could not be told
   */
  tell(person: { slackUserId: string; channelId: string | null }, message: SlackMessage): Promise<void>;
  /** Says something that must still be there when they come back: in the direct messages. @throws as `tell`, at once */
  tellLater(slackUserId: string, message: SlackMessage): Promise<void>;
}

interface Person {
  readonly name: string;
  readonly standing: Standing;
}

/** @param deps.teamId of the workspace that the bot is in; null: not signed in yet. @param deps.naming absent: `email` */
export function createPeople(deps: {
  api: SlackApi;
  teamId: () => string | null;
  naming?: Naming | undefined;
  logger: Logger;
  clock: Clock;
}): People {
  const { api, naming = 'email', logger, clock } = deps;
  const known = new LRUCache<string, Person>({ max: MAX_NAMES, ttl: NAME_TTL_MS });

  async function lookUp(slackUserId: string): Promise<Person> {
    const cached = known.get(slackUserId);
    if (cached !== undefined) {
      return cached;
    }
    try {
      const { user } = await api.users.info({ user: slackUserId });
      const person = { name: nameOf(user, naming) ?? slackUserId, standing: standingOf(user, deps.teamId()) };
      known.set(slackUserId, person);
      return person;
    } catch (error) {
      const reason = slackErrorCode(error);
      logger.warn({ slackUserId, reason }, 'Slack does not tell who this is; the id is used');
      // A failed look-up must not keep our own people from their incidents; not being among us is no failure.
      return { name: slackUserId, standing: NOT_AMONG_US.has(reason) ? 'stranger' : 'member' };
    }
  }

  async function tellLater(slackUserId: string, message: SlackMessage): Promise<void> {
    await api.chat.postMessage({ channel: slackUserId, ...message, ...QUIET });
  }

  return {
    async nameOf(slackUserId) {
      return (await lookUp(slackUserId)).name;
    },

    knownName: (slackUserId) => known.get(slackUserId)?.name ?? null,

    async standingOf(slackUserId) {
      return (await lookUp(slackUserId)).standing;
    },

    async tell({ slackUserId, channelId }, message) {
      if (channelId === null) {
        return waitingOutLimits(clock, () => tellLater(slackUserId, message));
      }
      try {
        await waitingOutLimits(clock, () =>
          api.chat.postEphemeral({ channel: channelId, user: slackUserId, ...message }),
        );
      } catch (error) {
        logger.info(
          { channelId, reason: slackErrorCode(error) },
          'no answer possible in that channel, so by direct message',
        );
        await waitingOutLimits(clock, () => tellLater(slackUserId, message));
      }
    },

    tellLater,
  };
}

/** No previews of links in what we post. */
export const QUIET = { unfurl_links: false, unfurl_media: false } as const;

/** null: Slack does not tell. */
function nameOf(user: UsersInfoResponse['user'], naming: Naming): string | null {
  const names = [user?.profile?.display_name, user?.real_name, user?.name];
  const candidates = { email: [user?.profile?.email, ...names], name: names, id: [] }[naming];
  const found = candidates.map((name) => name?.trim() ?? '').find((name) => name !== '');
  return found?.slice(0, REQUEST_LIMITS.user).toWellFormed() ?? null;
}

function standingOf(user: UsersInfoResponse['user'], teamId: string | null): Standing {
  const isOfTeam = teamId === null || user?.team_id === teamId || (user?.enterprise_user?.teams ?? []).includes(teamId);
  if (user?.is_stranger === true || !isOfTeam) {
    return 'stranger';
  }
  return user?.is_restricted === true || user?.is_ultra_restricted === true ? 'guest' : 'member';
}

/** A limit is no reason to leave a person without an answer. */
async function waitingOutLimits<Result>(clock: Clock, call: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const failure = classifySlackFailure(error);
      if (failure.kind !== 'rate-limited' || failure.retryAfterMs > LONGEST_LIMIT_MS || tries >= MAX_TRIES) {
        throw error;
      }
      await sleep(clock, failure.retryAfterMs);
    }
  }
}
