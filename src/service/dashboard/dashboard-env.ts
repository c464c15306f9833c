import type { ObservedEnv } from '../http/observe-requests.ts';

/** The session of a request, with the token that its forms must carry. */
export interface DashboardSession {
  readonly person: { readonly name: string };
  readonly role: 'viewer' | 'responder' | 'admin';
  readonly csrfToken: string;
}

export interface DashboardEnv {
  Variables: ObservedEnv['Variables'] & { session: DashboardSession };
}
