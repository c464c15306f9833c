import { isDeepStrictEqual } from 'node:util';
import { ServiceClientError } from '../../../client/errors.ts';
import type { ServiceClient } from '../../../client/service-client.ts';
import { idOfSlackUser } from '../../../contract/actor.ts';
import type { Schedule } from '../../../contract/on-call.ts';
import type { End } from '../../../effects/kept-effects.ts';
import { createKind, type EffectKind } from '../../../effects/performer.ts';
import { minutesToMilliseconds } from '../../../runtime/dates.ts';
import { failureOf as failureOfService } from '../../actions/service-failure.ts';
import type { NoticeStore } from '../../messages/notices.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { SlackApi } from '../../slack/methods.ts';
import type { Tables } from '../../tables.ts';
import { endOf, failureOf as failureOfSlack, WORKSPACE } from '../../targets/slack-workspace.ts';
import { nobodyForGroup } from './oncall-view.ts';
import type { TellWho } from './tell-who.ts';

/** A user group of Slack that is kept true to who is on call; the subject is its id. */
export const GROUP_KEPT = 'on-call group';
/** A user group from which a schedule takes its people; the subject is the schedule. */
export const GROUP_READ = 'on-call people';

const AGAIN = { againInMs: minutesToMilliseconds(1) } as const;
/** Somebody has to do something first, such as to add a scope. */
const REFUSED_MS = minutesToMilliseconds(10);
/** It may be asked for again. */
const UNMARKED = { outcome: {}, isRefused: true } as const;

interface GroupDeps {
  readonly service: Pick<ServiceClient, 'findPerson' | 'listSchedules' | 'setSlackGroup'>;
  readonly api: { readonly usergroups: { readonly users: SlackApi['usergroups']['users'] } };
}

/** Gives a user group the people who are on call now, by all schedules that name it. It is never emptied. */
export function createGroupKeptKind(
  deps: GroupDeps & { readonly store: { readonly notices: NoticeStore }; readonly onChanged: () => void },
): EffectKind<Tables> {
  const { service, api } = deps;

  async function onCallBy(schedules: readonly Schedule[]): Promise<SlackUserId[]> {
    const ids = new Set(schedules.flatMap(({ on_call: onCall }) => onCall?.id ?? []));
    const people = await Promise.all([...ids].map((id) => service.findPerson(id)));
    return people.flatMap((person) => (person?.slack_user_id && !person.gone_at ? person.slack_user_id : []));
  }

  return createKind<Tables, readonly SlackUserId[]>({
    target: WORKSPACE,
    effectOf: ({ subject: usergroup }) => ({
      async look() {
        const all = await service.listSchedules();
        const schedules = all.filter(
          ({ slack_group: group }) => group?.id === usergroup && group.direction === 'write',
        );
        if (schedules.length === 0) {
          return { over: UNMARKED };
        }
        const wanted = await onCallBy(schedules);
        if (wanted.length === 0) {
          const [names, since] = [schedules.map(({ name }) => name), schedules.map(({ next }) => next?.from ?? '')];
          await deps.store.notices.post(`${usergroup} ${since.join(' ')}`, nobodyForGroup(usergroup, names));
          deps.onChanged();
          return { over: AGAIN };
        }
        const { users = [] } = await api.usergroups.users.list({ usergroup });
        return isSame(users, wanted) ? { over: AGAIN } : { seen: wanted };
      },
      async call(wanted) {
        await api.usergroups.users.update({ usergroup, users: wanted.join(',') });
        return AGAIN;
      },
      failureOf,
    }),
    endOf: endOfGroup,
  });
}

/** Gives the lowest layer of a schedule the members of a group. A group without members changes nothing. */
export function createGroupReadKind(deps: GroupDeps & { readonly tellWho: TellWho }): EffectKind<Tables> {
  const { service, api, tellWho } = deps;

  interface Members {
    readonly schedule: Schedule;
    readonly users: readonly SlackUserId[];
  }

  return createKind<Tables, Members>({
    target: WORKSPACE,
    effectOf: ({ subject }) => ({
      async look() {
        const schedule = (await service.listSchedules()).find(({ id }) => id === subject);
        const group = schedule?.slack_group;
        if (schedule === undefined || group?.direction !== 'read') {
          return { over: UNMARKED };
        }
        const { users = [] } = await api.usergroups.users.list({ usergroup: group.id });
        const known = await Promise.all(users.map((user) => service.findPerson(idOfSlackUser(user))));
        const members = known.map((person) => person?.id ?? null);
        const isKnown = isSame(members, schedule.layers.at(-1)?.people ?? []);
        return users.length === 0 || isKnown ? { over: AGAIN } : { seen: { schedule, users } };
      },
      async call({ schedule: { id, slack_group: group = null }, users }) {
        for (const user of users) {
          await tellWho(user);
        }
        await service.setSlackGroup(id, { group, people: users.map(idOfSlackUser) });
        return AGAIN;
      },
      failureOf,
    }),
    endOf: endOfGroup,
  });
}

function isSame(some: readonly (string | null)[], others: readonly (string | null)[]): boolean {
  return isDeepStrictEqual(new Set(some), new Set(others));
}

/** Both partners may fail. */
function failureOf(error: unknown) {
  return error instanceof ServiceClientError ? failureOfService(error) : failureOfSlack(error);
}

function endOfGroup(effect: Parameters<typeof endOf>[0], error: unknown): End<Tables> | null {
  return error instanceof ServiceClientError
    ? null
    : endOf(effect, error, ({ error: reason, needed }) => ({
        againInMs: REFUSED_MS,
        error: needed === null ? reason : `missing scope ${needed}`,
      }));
}
