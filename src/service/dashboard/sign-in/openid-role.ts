import { idOfEmail, idOfSlackUser } from '../../../contract/actor.ts';
import { ROLES, type Role } from '../../../contract/sign-in.ts';
import type { Person } from '../../core/session.ts';

/** Who may sign in by OpenID Connect, and as what. Whom no list names may not. */
export interface OpenIdRoles {
  /** The claim with a person's groups, or with anything else that sets them apart. */
  readonly claim: string;
  /** Values of the claim, or verified email addresses; `*` is everybody whom the provider knows. */
  readonly lists: Readonly<Record<Role, readonly string[]>>;
}

const EVERYBODY = '*';

/** What the provider says about somebody. */
export type Claims = Readonly<Record<string, unknown>>;

/** The entries of the lists that name the person. */
export function grantsOfClaims(claims: Claims, { claim, lists }: OpenIdRoles): string[] {
  const email = verifiedEmailOf(claims);
  const names = new Set([...valuesOf(claims[claim]), ...(email === null ? [] : [email]), EVERYBODY]);
  const isNamed = (entry: string) => names.has(entry) || entry.toLowerCase() === email;
  return [...new Set(ROLES.flatMap((role) => lists[role].filter(isNamed)))];
}

/** The highest role whose list has one of the entries. null: none does. */
export function roleOfGrants(grants: readonly string[], { lists }: Pick<OpenIdRoles, 'lists'>): Role | null {
  return ROLES.findLast((role) => lists[role].some((entry) => grants.includes(entry))) ?? null;
}

export function personOfClaims(claims: Claims & { readonly sub: string }): Person {
  const email = verifiedEmailOf(claims);
  const name = nameIn(claims.name) ?? email ?? nameIn(claims.preferred_username) ?? claims.sub;
  const slackUserId = textOf(claims['https://slack.com/user_id']);
  return { user: email ?? name, name, slackUserId, userId: idOf(claims.sub, email, slackUserId) };
}

/** A name that looks like an address could be that of a colleague; the verified one is read from its own claim. */
function nameIn(claim: unknown): string | null {
  const name = textOf(claim);
  return name === null || name.includes('@') ? null : name;
}

/** The address is the one that Slack knows too. */
function idOf(subject: string, email: string | null, slackUserId: string | null): string {
  if (email !== null) {
    return idOfEmail(email);
  }
  return slackUserId === null ? `openid:${subject}` : idOfSlackUser(slackUserId);
}

/** In lower case. Anybody can claim an address that is not verified. */
function verifiedEmailOf({ email, email_verified: isVerified }: Claims): string | null {
  return isVerified === true || isVerified === 'true' ? (textOf(email)?.toLowerCase() ?? null) : null;
}

function valuesOf(claim: unknown): string[] {
  return (Array.isArray(claim) ? claim : [claim]).filter((value) => typeof value === 'string');
}

/** At most 200 characters that PostgreSQL can store. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.replaceAll('\0', '').trim().slice(0, 200) : null;
}
