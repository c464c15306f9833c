import { idOfSlackUser } from '../../contract/actor.ts';
import type { SlackUserId } from './identifiers.ts';
import { isSameText } from './same-text.ts';

/** Guests and people from other workspaces may not act. */
export type Standing = 'member' | 'guest' | 'stranger';

export interface Person {
  /** The name sent to the service. */
  readonly name: string;
  /** Who they are, see `Actor`: their e-mail address if Slack sends it, otherwise their Slack id. */
  readonly userId: string;
  readonly standing: Standing;
}

/** Somebody who asks for what is theirs. */
export interface Asker {
  readonly name: string;
  /** Each of them is theirs alone, see `Actor`. */
  readonly ids: readonly string[];
  /** Names of the user groups that they are in: `@sre`. */
  readonly groups: readonly string[];
}

export function askerOf(slackUserId: SlackUserId, { name, userId }: Person, groups: readonly string[]): Asker {
  return { name, ids: [...new Set([userId, idOfSlackUser(slackUserId)])], groups };
}

/** Whether somebody did something: by id where the service sends it, because anybody may type a name. */
export function isBy(
  { name, ids }: Pick<Asker, 'name' | 'ids'>,
  by: string | null | undefined,
  byId: string | null | undefined,
): boolean {
  return byId === null || byId === undefined ? isSameText(by ?? '', name) : ids.includes(byId);
}

/** Why somebody may not act on incidents. */
export type NotAllowed =
  | { readonly kind: 'guest' | 'stranger' }
  /** In none of the user groups that may act. */
  | { readonly kind: 'no-responder'; readonly groups: readonly string[] }
  /** Slack has not listed the members of the user groups for too long. */
  | { readonly kind: 'unverified'; readonly groups: readonly string[] };

/** How people are identified to the service. If Slack does not have a value, the next one is used. */
export const NAMINGS = ['email', 'name', 'id'] as const;
export type Naming = (typeof NAMINGS)[number];
