import type { UsersInfoResponse } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { idOfEmail, idOfSlackUser } from '../../contract/actor.ts';
import type { SavePersonRequest } from '../../contract/on-call.ts';
import { REQUEST_LIMITS } from '../../contract/requests.ts';
import { type Clock, sleep } from '../../runtime/clock.ts';
import { classifySlackFailure, hadNoEffect, slackErrorCode } from './errors.ts';
import type { ChannelId, SlackUserId } from './identifiers.ts';
import { QUIET, type SlackApi } from './methods.ts';
import type { Naming, NotAllowed, Person, Standing } from './person.ts';
import { personOf } from './person-of.ts';
import type { Responders } from './responders.ts';
import { isSameText } from './same-text.ts';
import type { SlackMessage } from './slack-message.ts';

/** Time until a person is looked up again. */
const CACHE_MS = 10 * 60_000;
const MAX_CACHED = 5_000;
/** Upper bound for rate limits that are waited for. */
const LONGEST_LIMIT_MS = 60_000;
/** The same for what is stored: a direct message with it follows after a minute. */
const STORED_LIMIT_MS = 20_000;
const MAX_TRIES = 3;
/** Slack does not call it a bot. */
const SLACKBOT = 'USLACKBOT';
const NOT_AMONG_US = new Set(['user_not_found', 'user_not_visible']);

export interface People {
  /** Looks up a person. Falls back to the last known data if Slack does not respond, then to the workspace of `noteTeam`. */
  find(slackUserId: SlackUserId): Promise<Person>;
  /** Remembers the workspace of a person, as a request of theirs says. */
  noteTeam(slackUserId: SlackUserId, teamId: string): void;
  /** Why the person may not act on incidents; null: they may. */
  refusal(slackUserId: SlackUserId): Promise<NotAllowed | null>;
  /** The id of the person with an email address; null: there is none. @throws errors of Slack's client */
  findByEmail(email: string): Promise<string | null>;
  /**
   * The id of the person who is called so: `@ben`. null: nobody is, several people are, or there are too many to compare.
   *
   * @throws errors of Slack's client
   */
  findByHandle(handle: string): Promise<string | null>;
  /** The cached person; null: a look-up is needed. */
  cached(slackUserId: SlackUserId): Person | null;
  /**
   * Sends an ephemeral message to somebody in their channel, or a direct message if Slack refuses that. Without a clear
   * response the message may be there, and is not sent again.
   *
   * @param otherwise replaces the direct message, also if there is no clear response
   * @throws errors of Slack's client if Slack refuses both
   */
  notify(
    person: { slackUserId: SlackUserId; channelId: ChannelId | null },
    message: SlackMessage,
    otherwise?: () => Promise<void>,
  ): Promise<void>;
}

/**
 * @param deps.teamId the bot's workspace; null: not signed in yet
 * @param deps.naming default: `email`
 */
export function createPeople(deps: {
  api: SlackApi;
  store: {
    find(slackUserId: SlackUserId): Promise<Person | null>;
    save(slackUserId: SlackUserId, person: Person): Promise<void>;
  };
  teamId: () => string | null;
  /** Called with a member whom Slack was asked about. Absent: nobody wants to know. */
  onFound?: (slackUserId: SlackUserId, person: SavePersonRequest) => Promise<void>;
  naming?: Naming | undefined;
  responders: Responders;
  logger: Logger;
  clock: Clock;
}): People {
  const { api, store, naming = 'email', logger, clock } = deps;
  const cache = new LRUCache<string, Person>({ max: MAX_CACHED, ttl: CACHE_MS });
  const teams = new LRUCache<string, string>({ max: MAX_CACHED });

  async function lookUp(slackUserId: SlackUserId): Promise<Person> {
    try {
      const { user } = await api.users.info({ user: slackUserId });
      const person = {
        name: nameOf(user, naming) ?? slackUserId,
        userId: idOf(slackUserId, user),
        standing: standingOf(user, deps.teamId()),
      };
      cache.set(slackUserId, person);
      await store.save(slackUserId, person).catch((err: unknown) => logger.warn({ err }, 'a name was not stored'));
      if (person.standing === 'member') {
        const told = deps.onFound?.(slackUserId, personOf(slackUserId, user));
        await told?.catch((err: unknown) => logger.warn({ err }, 'who somebody is was not kept for the service'));
      }
      return person;
    } catch (error) {
      const reason = slackErrorCode(error);
      if (NOT_AMONG_US.has(reason)) {
        return { name: slackUserId, userId: idOfSlackUser(slackUserId), standing: 'stranger' };
      }
      const known = await store.find(slackUserId);
      logger.warn({ slackUserId, reason, isKnown: known !== null }, 'the look-up of a person failed');
      const isOther = (teams.get(slackUserId) ?? deps.teamId()) !== deps.teamId();
      const standing = isOther ? 'stranger' : 'unknown';
      const isTokenRefused = classifySlackFailure(error).kind === 'refused-token';
      return (
        known ?? {
          name: slackUserId,
          userId: idOfSlackUser(slackUserId),
          standing,
          ...(isTokenRefused && { refusedToken: reason }),
        }
      );
    }
  }

  async function tellDirectly(slackUserId: SlackUserId, message: SlackMessage): Promise<void> {
    try {
      await waitingOutLimits(clock, () => api.chat.postMessage({ channel: slackUserId, ...message, ...QUIET }));
    } catch (error) {
      if (hadNoEffect(error)) {
        throw error;
      }
      logger.warn({ slackUserId, reason: slackErrorCode(error) }, 'it is unclear whether a person was told');
    }
  }

  const find: People['find'] = async (slackUserId) => cache.get(slackUserId) ?? lookUp(slackUserId);

  return {
    find,
    noteTeam: (slackUserId, teamId) => void teams.set(slackUserId, teamId),
    async refusal(slackUserId) {
      const { standing, refusedToken } = await find(slackUserId);
      if (standing === 'unknown') {
        return { kind: standing, refusedToken };
      }
      return standing === 'member' ? deps.responders.refusal(slackUserId) : { kind: standing };
    },
    async findByEmail(email) {
      try {
        return (await api.users.lookupByEmail({ email })).user?.id ?? null;
      } catch (error) {
        if (slackErrorCode(error) === 'users_not_found') {
          return null;
        }
        throw error;
      }
    },
    findByHandle: (handle) => findByHandle(api, handle),
    cached: (slackUserId) => cache.get(slackUserId) ?? null,
    async notify({ slackUserId, channelId }, message, otherwise) {
      const direct = otherwise ?? (() => tellDirectly(slackUserId, message));
      if (channelId === null) {
        return direct();
      }
      try {
        const post = () => api.chat.postEphemeral({ channel: channelId, user: slackUserId, ...message });
        await waitingOutLimits(clock, post, otherwise === undefined ? LONGEST_LIMIT_MS : STORED_LIMIT_MS);
      } catch (error) {
        const isRefused = hadNoEffect(error);
        logger.info({ channelId, reason: slackErrorCode(error), isRefused }, 'an ephemeral message failed');
        await (isRefused || otherwise !== undefined ? direct() : undefined);
      }
    },
  };
}

/** Pages of a thousand people that are searched for a name. Slack allows about twenty a minute. */
const MOST_PAGES = 20;

async function findByHandle(api: SlackApi, handle: string): Promise<string | null> {
  const wanted = handle.replace(/^@/, '').toLowerCase();
  const found = new Set<string>();
  let cursor = '';
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { members = [], response_metadata: next } = await api.users.list({ limit: 1_000, cursor });
    for (const { id, name, profile, deleted, is_bot: isBot } of members) {
      const names = [name, profile?.display_name, profile?.real_name];
      if (
        id !== undefined &&
        !deleted &&
        !isBot &&
        names.some((each) => isSameText((each ?? '').toLowerCase(), wanted))
      ) {
        found.add(id);
      }
    }
    cursor = next?.next_cursor ?? '';
    if (cursor === '') {
      const [only = null] = found;
      return found.size === 1 ? only : null;
    }
  }
  return null; // somebody else who was not read may have the name
}

/** Sends again what must not be lost, such as a typed note, for the parameter `otherwise`. */
export function directly(people: Pick<People, 'notify'>, slackUserId: SlackUserId, message: SlackMessage) {
  return (): Promise<void> => people.notify({ slackUserId, channelId: null }, message);
}

function idOf(slackUserId: SlackUserId, user: UsersInfoResponse['user']): string {
  const email = user?.profile?.email?.trim() ?? '';
  return email === '' ? idOfSlackUser(slackUserId) : idOfEmail(email.slice(0, REQUEST_LIMITS.user));
}

/** @returns null: Slack has no name */
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
  if (user?.deleted === true) {
    return 'deactivated';
  }
  if (user?.is_bot === true || user?.id === SLACKBOT) {
    return 'bot';
  }
  return user?.is_restricted === true || user?.is_ultra_restricted === true ? 'guest' : 'member';
}

/** Retries after a rate limit. */
async function waitingOutLimits<Result>(
  clock: Clock,
  call: () => Promise<Result>,
  longestMs = LONGEST_LIMIT_MS,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const failure = classifySlackFailure(error);
      if (failure.kind !== 'rate-limited' || failure.retryAfterMs > longestMs || tries >= MAX_TRIES) {
        throw error;
      }
      await sleep(clock, failure.retryAfterMs);
    }
  }
}
