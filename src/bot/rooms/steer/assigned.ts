import type { Logger } from 'pino';
import { idOfSlackUser } from '../../../contract/actor.ts';
import { REQUEST_LIMITS } from '../../../contract/requests.ts';
import { isGroup } from '../../blocks/people-words.ts';
import type { Groups } from '../../slack/groups.ts';
import type { People } from '../../slack/people.ts';
import type { PeopleStore } from '../../slack/people-store.ts';
import type { Unassignable } from '../../slack/person.ts';

/** Whom an incident is assigned to. */
export type Assigned =
  /** The name that the service gets. */
  | { readonly kind: 'found'; readonly name: string }
  | { readonly kind: 'refused'; readonly why: Unassignable }
  /** Slack does not say who it is. */
  | { readonly kind: 'unclear' };

/** Looks up a person or user group by the id in Slack, or by the name that somebody typed: `@ben`. */
export type FindAssigned = (whom: string) => Promise<Assigned>;

const NOBODY: Assigned = { kind: 'refused', why: 'nobody' };

export function createFindAssigned(deps: {
  readonly people: Pick<People, 'find' | 'findByHandle'>;
  readonly groups: Pick<Groups, 'list'>;
  readonly store: { readonly people: PeopleStore };
  readonly logger: Logger;
}): FindAssigned {
  const { people, groups, store, logger } = deps;

  /** The group is remembered, so that cards can mention it. */
  async function findGroup(isIt: (group: { readonly id: string; readonly name: string }) => boolean) {
    const found = (await groups.list()).find(isIt);
    if (found === undefined) {
      return null;
    }
    const name = found.name.slice(0, REQUEST_LIMITS.user).toWellFormed();
    await store.people.save(found.id, { name, userId: idOfSlackUser(found.id), standing: 'member' });
    return { kind: 'found', name } as const;
  }

  async function findPerson(slackUserId: string): Promise<Assigned> {
    const { name, standing } = await people.find(slackUserId);
    if (standing === 'member') {
      return { kind: 'found', name };
    }
    return standing === 'unknown' ? { kind: 'unclear' } : { kind: 'refused', why: standing };
  }

  async function find(whom: string): Promise<Assigned> {
    if (!whom.startsWith('@')) {
      return isGroup(whom) ? ((await findGroup(({ id }) => id === whom)) ?? NOBODY) : findPerson(whom);
    }
    const group = await findGroup(({ name }) => name.toLowerCase() === whom.toLowerCase());
    const id = group === null ? await people.findByHandle(whom) : null;
    return group ?? (id === null ? NOBODY : findPerson(id));
  }

  return (whom) =>
    find(whom).catch((err: unknown) => {
      logger.warn({ err }, 'whom an incident is assigned to could not be looked up');
      return { kind: 'unclear' };
    });
}

/**
 * Whom somebody typed: the id of a mention or of `me`, or a name: `@ben`.
 *
 * @param slackUserId the person who typed it
 */
export function parseAssigned(typed: string, slackUserId: string): string {
  const [, mentioned] = /^<(?:@|!subteam\^)(\w+)(?:\|[^>]*)?>$/.exec(typed) ?? [];
  return mentioned ?? (typed.toLowerCase() === 'me' ? slackUserId : `@${typed.replace(/^@/, '')}`);
}
