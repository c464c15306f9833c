import { ImpossibleActionError } from '../errors.ts';
import type { Workspace } from './workspace.ts';

/**
 * Creates a user group with this handle, or replaces its members, given by handle or id.
 *
 * @returns its id
 * @throws ImpossibleActionError when Slack would refuse it
 */
export function setUserGroup(workspace: Workspace, typed: string, people: readonly string[], now: Date): string {
  const handle = typed.trim().replace(/^@/, '');
  if (!/^[\p{Ll}\p{Lo}\p{N}_.-]{1,80}$/u.test(handle)) {
    throw new ImpossibleActionError('a handle has lower-case letters, digits, hyphens, dots and underscores');
  }
  const users = [...new Set(people.map((reference) => workspace.findPerson(reference)?.id ?? ''))];
  if (users.includes('')) {
    throw new ImpossibleActionError('not everybody is a person of this workspace');
  }
  const before = workspace.userGroups.all().find((group) => group.handle === handle);
  const isTaken = workspace.findPerson(handle) !== null || workspace.findChannelByName(handle) !== null;
  if (before === undefined && isTaken) {
    throw new ImpossibleActionError(`a person or channel is named ${handle} already`);
  }
  const at = Math.floor(now.getTime() / 1000);
  const created = { id: workspace.nextId('S'), name: handle, handle, createdAt: at };
  return workspace.userGroups.put({ ...created, ...before, users, updatedAt: at }).id;
}
