import type { Session } from '../core/session.ts';
import type { ObservedEnv } from '../http/observe-requests.ts';

/** The session of a request, with the token that its forms must carry. */
export interface DashboardSession extends Session {
  readonly csrfToken: string;
}

export interface DashboardEnv {
  Bindings: {
    /** Where the request came from: the other end of the connection. */
    address?: string;
  };
  Variables: ObservedEnv['Variables'] & {
    /** Set by the guard, so not on the pages of sign-in. */
    session: DashboardSession;
  };
}
