import type { SIGN_IN_REQUESTED } from '../../contract/events.ts';
import type { ServiceEvent } from './integration-event.ts';

/** What somebody asks for who has no session. Nobody has checked that the address is theirs. */
export interface SignInRequest {
  readonly email: string;
  /** A page of the dashboard. */
  readonly returnTo: string;
}

export interface SignInRequested {
  readonly sequence: bigint;
  readonly id: string;
  readonly type: typeof SIGN_IN_REQUESTED;
  readonly occurredAt: Date;
  readonly signIn: SignInRequest;
}

/** What the streams read. Webhooks get only `ServiceEvent`. */
export type StreamEvent = ServiceEvent | SignInRequested;
