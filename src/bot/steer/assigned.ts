import { idOfSlackUser } from '../../contract/actor.ts';
import { REQUEST_LIMITS } from '../../contract/requests.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { isGroup } from '../views/people-words.ts';

type Deps = Pick<ListenerDeps, 'people' | 'groups' | 'store'>;

/** The name that the service gets for a person or a user group. A group is remembered, so that cards can mention it. */
export async function assignedName({ people, groups, store }: Deps, slackId: string): Promise<string> {
  if (!isGroup(slackId)) {
    return (await people.find(slackId)).name;
  }
  const found = (await groups.list()).find(({ id }) => id === slackId);
  const name = (found?.name ?? slackId).slice(0, REQUEST_LIMITS.user).toWellFormed();
  await store.people.save(slackId, { name, userId: idOfSlackUser(slackId), standing: 'member' });
  return name;
}

/**
 * The id of the person or user group that somebody typed: `@sre`, `@ben`, `me`, `<@U0123>`.
 *
 * @returns null: nobody is called so, or several people are
 */
export async function findAssigned(
  { people, groups }: Deps,
  typed: string,
  slackUserId: string,
): Promise<string | null> {
  const [, mentioned] = /^<(?:@|!subteam\^)(\w+)(?:\|[^>]*)?>$/.exec(typed) ?? [];
  if (mentioned !== undefined) {
    return mentioned;
  }
  if (typed.toLowerCase() === 'me') {
    return slackUserId;
  }
  const handle = `@${typed.replace(/^@/, '')}`.toLowerCase();
  const group = (await groups.list()).find(({ name }) => name.toLowerCase() === handle);
  return group?.id ?? people.findByHandle(handle);
}
