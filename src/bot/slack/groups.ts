import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { withTimeout } from '../../runtime/timeout.ts';
import { slackErrorCode } from './errors.ts';
import type { SlackUserId } from './identifiers.ts';
import type { SlackApi } from './methods.ts';

/** Who is in which user group is read again after this time. */
const FRESH_MS = 5 * 60_000;
/** People wait for it. What is known then counts. */
const TIMEOUT_MS = 1_200;

export interface UserGroup {
  readonly id: string;
  /** As Slack shows it: `@sre`. */
  readonly name: string;
  readonly users: readonly SlackUserId[];
}

/** The user groups of the workspace. */
export interface Groups {
  /** @throws errors of Slack's client */
  list(): Promise<readonly UserGroup[]>;
  /** Names of the groups that somebody is in; those that were known last, if Slack does not answer. */
  ofMember(slackUserId: SlackUserId): Promise<readonly string[]>;
}

export function createGroups({
  api,
  logger,
  clock,
}: {
  readonly api: Pick<SlackApi, 'usergroups'>;
  readonly logger: Logger;
  readonly clock: Clock;
}): Groups {
  let known: readonly UserGroup[] = [];
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<readonly UserGroup[]> | null = null;

  async function read(): Promise<readonly UserGroup[]> {
    const askedAtMs = clock.now().getTime();
    const { usergroups = [] } = await api.usergroups.list({ include_users: true });
    known = usergroups.flatMap(({ id, handle, name, users = [] }) =>
      id === undefined ? [] : [{ id, name: handle ? `@${handle}` : name || id, users }],
    );
    readAtMs = askedAtMs;
    return known;
  }

  /** Who asks meanwhile gets the same answer. */
  function list(): Promise<readonly UserGroup[]> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  return {
    list,
    async ofMember(slackUserId) {
      const ageMs = clock.now().getTime() - readAtMs;
      if (!(ageMs >= 0 && ageMs < FRESH_MS)) {
        await withTimeout(TIMEOUT_MS, list).catch((error: unknown) =>
          logger.warn({ reason: slackErrorCode(error) }, 'the user groups could not be listed'),
        );
      }
      return known.filter(({ users }) => users.includes(slackUserId)).map(({ name }) => name);
    },
  };
}
