import type { Context, MiddlewareHandler } from 'hono';
import type { Role } from '../../../contract/sign-in.ts';
import { hasRole } from '../../core/session.ts';
import { publicPathOf, withoutPublicPath } from '../../http/public-path.ts';
import type { SessionStore } from '../../store/people/session-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import type { SessionCookie } from './cookie.ts';
import { csrfTokenOf, demandCsrfToken } from './csrf.tsx';

const NO_SESSION = 'You are not signed in, or your session has ended. Sign in, then go back and send the form again.';

/** Lets only requests with a session through, and sets it. A page leads to sign-in and back. */
export function requireSession(deps: {
  readonly sessions: SessionStore;
  readonly cookie: SessionCookie;
  readonly now: () => Date;
  readonly publicUrl: string;
}): MiddlewareHandler<DashboardEnv> {
  const publicPath = publicPathOf(deps.publicUrl);
  return async (c, next) => {
    const token = deps.cookie.read(c);
    const found = token === null ? null : await deps.sessions.find(token, deps.now());
    if (token === null || found === null) {
      return askForSignIn(c, publicPath);
    }
    const session = { ...found, csrfToken: csrfTokenOf(token) };
    c.set('session', session);
    await demandCsrfToken(c, session);
    return next();
  };
}

function askForSignIn(c: Context<DashboardEnv>, publicPath: string): Response {
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') {
    throw new PageError(403, 'Sign in first', NO_SESSION);
  }
  if (c.req.header('hx-request') !== undefined) {
    const shown = URL.parse(c.req.header('hx-current-url') ?? '');
    const page = withoutPublicPath(`${shown?.pathname ?? ''}${shown?.search ?? ''}`, publicPath);
    return c.body(null, 401, { 'hx-redirect': signInAddress(page) });
  }
  if (c.req.header('accept') === 'text/event-stream') {
    return c.body(null, 401);
  }
  const { pathname, search } = new URL(c.req.url);
  return c.redirect(signInAddress(pathname + search));
}

/** The address of the sign-in page that leads back to a page. */
function signInAddress(page: string): string {
  return page === '/dashboard/incidents'
    ? '/dashboard/sign-in'
    : `/dashboard/sign-in?return_to=${encodeURIComponent(page)}`;
}

const ADVICE: Readonly<Record<Role, string>> = {
  viewer: 'Sign in first.',
  responder: 'Your role is viewer, which may only read. Ask an admin for the role responder.',
  admin: 'Only admins may do this. Ask one, or sign in with a read-write API key.',
};

/** @throws {PageError} when the person's role is lower */
export function demandRole(c: Context<DashboardEnv>, role: Role): void {
  if (!hasRole(c.get('session'), role)) {
    throw new PageError(403, 'Not allowed', ADVICE[role]);
  }
}
