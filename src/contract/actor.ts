/**
 * Who did something. Names are what people read, and anybody may have any name. An id says who it was:
 * `email:ana@example.com` (verified by Slack or the OpenID provider, in lower case), `slack:U012AB3CD`,
 * `openid:<subject>`, `console:<name>` for a link that was printed on the machine of the service, or `key:<name of the
 * key>` for a holder of an API key, who typed the name.
 */
export interface Actor {
  readonly by: string;
  /** null or absent: not known. */
  readonly byId?: string | null | undefined;
}

/** Ids that a caller may give. `key:` is not among them: the service itself says which key was used. */
export const VERIFIED_ID = /^(email|slack|openid):./;

const KEY = 'key:';
/** What turns the direction of text: it could make a mark unreadable. */
const TURNS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

export function idOfKey({ name }: { readonly name: string }): string {
  return `${KEY}${name}`;
}

export function idOfEmail(email: string): string {
  return `email:${email.toLowerCase()}`;
}

export function idOfSlackUser(slackUserId: string): string {
  return `slack:${slackUserId}`;
}

/** The name, also if it is an e-mail address. One that the holder of an API key typed says so: "Ana (by key ops)". */
export function markedName({ by, byId = null }: Actor): string {
  if (byId === null || !byId.startsWith(KEY)) {
    return by;
  }
  const key = byId.slice(KEY.length);
  return by === key ? `key ${key}` : `${by.replace(TURNS, '')} (by key ${key.replace(TURNS, '')})`;
}

/** The name as people read it, never an e-mail address. */
export function nameOf({ by, byId }: Actor): string {
  return markedName({ by: spokenName(by), byId });
}

/** For the history that admins read: with the address, if that is who it was. */
export function nameWithAddress(actor: Actor): string {
  const [, address] = /^email:(.+)$/s.exec(actor.byId ?? '') ?? [];
  return address === undefined ? nameOf(actor) : `${nameOf(actor)} (${address})`;
}

const E_MAIL = /^([^\s@]+)@[^\s@]+\.[^\s@]+$/;

/** What people are called in a sentence: of an e-mail address only the part before the @. */
export function spokenName(name: string): string {
  return name.replace(E_MAIL, '$1');
}

/** Whether two actions are of the same person. Names count only where no id is known, and under one key. */
export function isSameActor(one: Actor, other: Actor): boolean {
  const [id, otherId] = [one.byId ?? null, other.byId ?? null];
  return id === null || otherId === null || id.startsWith(KEY) ? one.by === other.by && id === otherId : id === otherId;
}
