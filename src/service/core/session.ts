import { type Actor, nameOf, nameWithAddress } from '../../contract/actor.ts';
import { ROLES, type Role } from '../../contract/sign-in.ts';
import { addDays, addHours, min } from '../../runtime/dates.ts';
import type { ApiKey } from './api-key.ts';

/** A session ends after this time without a request, and after `SESSION_DAYS` in any case. */
export const IDLE_HOURS = 12;
export const SESSION_DAYS = 7;

export type SignInMethod = 'api-key' | 'link' | 'openid';

/** Somebody who uses the dashboard. */
export interface Person {
  /** As the API names them in what they do. */
  readonly user: string;
  /** As the dashboard shows them. */
  readonly name: string;
  /** null: not known. */
  readonly slackUserId: string | null;
  /** Who they are, see `Actor`. */
  readonly userId: string;
}

/** The person in what they do. */
export function actorOfPerson({ name, userId }: Person): Actor {
  return { by: name, byId: userId };
}

/** The name as pages show it. */
export function shownName(person: Person): string {
  return nameOf(actorOfPerson(person));
}

/** The person with the name that histories keep which only admins read. */
export function auditActor(person: Person): Actor {
  return { by: nameWithAddress(actorOfPerson(person)), byId: person.userId };
}

/** A person's sign-in at the dashboard, without the token in their cookie. */
export interface Session {
  readonly id: string;
  readonly person: Person;
  readonly role: Role;
  readonly method: SignInMethod;
  /** The same for all sessions of one person: the subject of the sign-in, such as a Slack user or an API key. */
  readonly identity: string;
  /** The entries of the settings that give the role, of OpenID Connect. Empty: nothing that can be asked again. */
  readonly grantedBy: readonly string[];
  /** The key that vouches for the session, which ends with it. null: none does. */
  readonly apiKeyId: string | null;
  readonly address: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastSeenAt: Date;
}

/** A sign-in that succeeded. */
export type SignIn = Pick<
  Session,
  'person' | 'role' | 'method' | 'identity' | 'grantedBy' | 'apiKeyId' | 'address' | 'userAgent'
>;

/** When the session ends if it is not used again. */
export function endOf({ createdAt, lastSeenAt }: Pick<Session, 'createdAt' | 'lastSeenAt'>): Date {
  return min([addHours(lastSeenAt, IDLE_HOURS), addDays(createdAt, SESSION_DAYS)]);
}

/** An admin may do everything that a responder may do, and a responder everything that a viewer may do. */
export function hasRole({ role }: Pick<Session, 'role'>, needed: Role): boolean {
  return !isLower(role, needed);
}

/** Whether the first role is lower. */
export function isLower(role: Role, than: Role): boolean {
  return ROLES.indexOf(role) < ROLES.indexOf(than);
}

export function higherThan(role: Role): Role[] {
  return ROLES.filter((each) => isLower(role, each));
}

/**
 * A read-write key may create other keys through the API, so its role is admin: less in the dashboard would protect
 * nothing. null: an ingest key, which may only send signals.
 */
export function roleOfKey({ scope }: Pick<ApiKey, 'scope'>): Role | null {
  switch (scope) {
    case 'read-write':
      return 'admin';
    case 'read-only':
      return 'viewer';
    case 'ingest':
      return null;
  }
}

/** Who does something with keys or integrations: the id of a key, one of `KEY_ACTORS`, or a person. */
export type KeyActor = string | Actor;

/** No id of a key looks like the name. */
export function actorOf({ method, apiKeyId, person }: Pick<Session, 'method' | 'apiKeyId' | 'person'>): KeyActor {
  const { by, byId } = auditActor(person);
  return method === 'api-key' && apiKeyId !== null ? apiKeyId : { by: `${by}, in the dashboard`, byId };
}
