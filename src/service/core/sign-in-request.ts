import type { SIGN_IN_REQUESTED } from '../../contract/events.ts';
import type { ServiceEvent } from './integration-event.ts';
import type { PageEvent } from './page-event.ts';

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

/** For bots: only keys that may write read it. */
export type BotEvent = SignInRequested | PageEvent;

/** What the streams read. Webhooks get only `ServiceEvent`. */
export type StreamEvent = ServiceEvent | BotEvent;

export function isForBots(event: StreamEvent): event is BotEvent {
  return 'signIn' in event || 'page' in event;
}
