import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { slackErrorCode } from './errors.ts';
import type { SlackUserId } from './identifiers.ts';
import type { SlackApi } from './methods.ts';
import type { NotAllowed } from './person.ts';

/** The members of the groups are listed again after this time. */
const FRESH_MS = 5 * 60_000;
/** If the last successful listing is older than this, everybody is refused. */
const TRUSTED_MS = 15 * 60_000;

/** Members of the user groups that a setting names. */
export interface Responders {
  /** @returns null: the person is a member */
  refusal(slackUserId: SlackUserId): Promise<NotAllowed | null>;
}

interface Membership {
  /** As Slack shows them: "@sre". */
  readonly groups: readonly string[];
  readonly users: ReadonlySet<string>;
  readonly readAtMs: number;
}

/** @param deps.groups handles or ids; empty: everybody counts as a member */
export function createResponders(deps: {
  api: Pick<SlackApi, 'usergroups'>;
  groups: readonly string[];
  logger: Logger;
  clock: Clock;
}): Responders {
  const { api, logger, clock } = deps;
  let known: Membership | null = null;
  let reading: Promise<void> | null = null;

  /** Age of what is known; a clock that was set back makes it infinite. */
  function ageMs(): number {
    const age = known === null ? -1 : clock.now().getTime() - known.readAtMs;
    return age < 0 ? Number.POSITIVE_INFINITY : age;
  }

  async function read(): Promise<void> {
    const readAtMs = clock.now().getTime();
    try {
      const { usergroups = [] } = await api.usergroups.list();
      const groups = deps.groups.map((group) => {
        const found = usergroups.find(
          ({ id, handle }) => group === id || group.toLowerCase() === handle?.toLowerCase(),
        );
        return { id: found?.id ?? null, label: `@${found?.handle ?? group}` };
      });
      const members = await Promise.all(groups.flatMap(({ id }) => (id === null ? [] : [membersOf(id)])));
      const missing = groups.filter(({ id }) => id === null).map(({ label }) => label);
      if (missing.length > 0) {
        logger.warn({ missing }, 'the settings name user groups that do not exist');
      }
      known = { groups: groups.map(({ label }) => label), users: new Set(members.flat()), readAtMs };
    } catch (error) {
      logger.warn({ reason: slackErrorCode(error) }, 'the members of the user groups could not be listed');
    }
  }

  async function membersOf(usergroup: string): Promise<readonly string[]> {
    const { users = [] } = await api.usergroups.users.list({ usergroup });
    return users;
  }

  async function refresh(): Promise<void> {
    reading ??= read().finally(() => {
      reading = null;
    });
    await reading;
  }

  return {
    async refusal(slackUserId) {
      if (deps.groups.length === 0) {
        return null;
      }
      if (ageMs() >= FRESH_MS) {
        await refresh();
      }
      if (known === null || ageMs() >= TRUSTED_MS) {
        return { kind: 'unverified', groups: known?.groups ?? deps.groups.map((group) => `@${group}`) };
      }
      return known.users.has(slackUserId) ? null : { kind: 'no-responder', groups: known.groups };
    },
  };
}
