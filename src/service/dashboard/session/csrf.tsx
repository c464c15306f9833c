import type { DashboardSession } from '../dashboard-env.ts';

/** Every form that is posted contains it. */
export function CsrfField({ session }: { readonly session: Pick<DashboardSession, 'csrfToken'> }) {
  return <input type="hidden" name="_csrf" value={session.csrfToken} />;
}
