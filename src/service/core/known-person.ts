/** A person whom the service knows: by sign-in, by the bot or by another holder of a key. Never found by name. */
export interface KnownPerson {
  readonly id: string;
  readonly name: string;
  /** Verified, in lower case; null: not known. Shown to its owner and to admins only. */
  readonly email: string | null;
  readonly slackUserId: string | null;
  /** The subject at the OpenID provider, where that is all that is known of somebody. */
  readonly openIdSubject: string | null;
  /** null: not known. */
  readonly timeZone: string | null;
  /** Absent or null: none. */
  readonly quietHours?: QuietHours | null;
  readonly createdAt: Date;
  /** When they left; null: they are here. */
  readonly goneAt: Date | null;
}

/** When only what is loud may ring. Times of day in the person's zone, such as `22:00`; from the evening into the morning. */
export interface QuietHours {
  readonly from: string;
  readonly until: string;
}

/** What says who somebody is. One is enough. */
export type Identity = Pick<KnownPerson, 'email' | 'slackUserId' | 'openIdSubject'>;

/** @param id see `Actor`. @returns null: it says nothing about who somebody is */
export function identityOf(id: string): Identity | null {
  const [, kind = '', value = ''] = /^(email|slack|openid):(.+)$/s.exec(id) ?? [];
  const nothing = { email: null, slackUserId: null, openIdSubject: null };
  switch (kind) {
    case 'email':
      return { ...nothing, email: value.toLowerCase() };
    case 'slack':
      return { ...nothing, slackUserId: value };
    case 'openid':
      return { ...nothing, openIdSubject: value };
    default:
      return null;
  }
}
