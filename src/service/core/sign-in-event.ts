import type { Role } from '../../contract/sign-in.ts';
import type { SignInMethod } from './session.ts';

/** An entry of the audit: a session began or was ended. Sessions that expire have no entry. */
export interface SignInEvent {
  readonly at: Date;
  /** `ended`: by somebody, in the list of sessions. */
  readonly type: 'signed-in' | 'signed-out' | 'ended';
  readonly person: string;
  readonly role: Role;
  readonly method: SignInMethod;
  /** Who did it, for `ended` perhaps somebody else. */
  readonly by: string;
  readonly address: string;
  readonly userAgent: string;
}
