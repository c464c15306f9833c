import type { Session } from './session.ts';

/** Signs one person in to the dashboard, once. Its token is in the address only. */
export interface SignInLink extends Pick<Session, 'person' | 'role' | 'identity' | 'apiKeyId'> {
  /** The page to show; null: the first one. */
  readonly returnTo: string | null;
  readonly expiresAt: Date;
}

/** How long a link works that is sent to somebody. */
export const LINK_MINUTES = 10;

/** How long a link works that is printed on the machine of the service. */
export const PRINTED_LINK_MINUTES = 60;
