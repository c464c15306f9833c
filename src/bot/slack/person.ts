import { idOfSlackUser } from '../../contract/actor.ts';
import type { SlackUserId } from './identifiers.ts';
import { isSameText } from './same-text.ts';

/**
 * Who somebody is in the workspace. Only members may act. `unknown`: Slack does not say at the moment, and nothing was
 * known before.
 */
export type Standing = 'member' | 'guest' | 'stranger' | 'bot' | 'deactivated' | 'unknown';

/** Why an incident cannot be assigned to somebody. `nobody`: there is no such person or group, or several people are called so. */
export type Unassignable = Exclude<Standing, 'member' | 'unknown'> | 'nobody';

export interface Person {
  /** The name sent to the service. */
  readonly name: string;
  /** Who they are, see `Actor`: their e-mail address if Slack sends it, otherwise their Slack id. */
  readonly userId: string;
  readonly standing: Standing;
  /** Slack's error code, if their standing is `unknown` because it refuses the bot's token. */
  readonly refusedToken?: string;
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
  | { readonly kind: Exclude<Standing, 'member' | 'unknown'> }
  | { readonly kind: 'unknown'; readonly refusedToken?: string | undefined }
  /** In none of the user groups that may act. */
  | { readonly kind: 'no-responder'; readonly groups: readonly string[] }
  /** Slack has not listed the members of the user groups for too long. */
  | { readonly kind: 'unverified'; readonly groups: readonly string[] };

/** How people are identified to the service. If Slack does not have a value, the next one is used. */
export const NAMINGS = ['email', 'name', 'id'] as const;
export type Naming = (typeof NAMINGS)[number];

/** A person or user group as the service names them, and their id in Slack. */
export interface KnownPerson {
  readonly name: string;
  readonly slackUserId: SlackUserId;
}
