import type { Context, Hono } from 'hono';
import type { Logger } from 'pino';
import { z } from 'zod';
import { roleOfKey, type SignIn } from '../../core/session.ts';
import { StorableText } from '../../http/storable-text.ts';
import type { ApiKeyStore } from '../../store/api-key-store.ts';
import type { SessionStore } from '../../store/session-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import type { SessionCookie } from '../session/cookie.ts';
import { returnTo } from '../session/return-to.ts';
import type { AttemptLimit } from './attempt-limit.ts';
import { renderSignInPage } from './sign-in-page.tsx';

const MAX_USER_AGENT = 300;

const KeyForm = z.object({
  key: z.string().trim().max(200).catch(''),
  name: StorableText.trim().max(100).catch(''),
  return_to: z.string().catch(''),
});

const WRONG_KEY = 'This API key is unknown, has expired or was revoked.';
const INGEST_KEY = 'This is an ingest key, which may only send signals. Use a read-only or read-write key.';

export interface SignInDeps {
  readonly sessions: SessionStore;
  readonly keys: ApiKeyStore;
  readonly cookie: SessionCookie;
  readonly attempts: AttemptLimit;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** The pages that need no session. */
export function bindSignIn(dashboard: Hono<DashboardEnv>, deps: SignInDeps): void {
  const { keys, attempts, logger, now } = deps;

  dashboard.get('/sign-in', (c) =>
    c.html(renderSignInPage({ returnTo: returnTo(c.req.query('return_to')), fault: null })),
  );

  dashboard.post('/sign-in', async (c) => {
    const { address } = whereFrom(c);
    attempts.take(address);
    const form = KeyForm.parse(await c.req.parseBody());
    const page = returnTo(form.return_to);
    const refuse = (fault: string) => {
      logger.warn({ address }, 'sign-in with an API key refused');
      return c.html(renderSignInPage({ returnTo: page, fault }), 403);
    };
    const key = await keys.authenticate(form.key, now());
    if (key === null) {
      return refuse(WRONG_KEY);
    }
    const role = roleOfKey(key);
    if (role === null) {
      return refuse(INGEST_KEY);
    }
    const name = form.name === '' ? key.name : form.name;
    const person = { name, slackUserId: null };
    const identity = `key:${key.id}:${form.name}`;
    await startSession(c, deps, { person, role, method: 'api-key', identity, apiKeyId: key.id });
    return c.redirect(page, 303);
  });
}

/** Sets a new token, so one that somebody else knows or has planted is worth nothing; the session before it ends. */
export async function startSession(
  c: Context<DashboardEnv>,
  { sessions, cookie, logger, now }: Pick<SignInDeps, 'sessions' | 'cookie' | 'logger' | 'now'>,
  signIn: Omit<SignIn, 'address' | 'userAgent'>,
): Promise<void> {
  const before = cookie.read(c);
  const replaced = before === null ? null : await sessions.find(before, now());
  const from = whereFrom(c);
  if (replaced !== null) {
    await sessions.end(replaced.id, { type: 'signed-out', by: replaced.person.name, ...from, now: now() });
  }
  cookie.write(c, await sessions.create({ ...signIn, ...from }, now()));
  logger.info({ method: signIn.method, role: signIn.role, address: from.address }, 'signed in to the dashboard');
}

/** Where a request came from, for the audit. */
export function whereFrom(c: Context<DashboardEnv>): { readonly address: string; readonly userAgent: string } {
  const userAgent = (c.req.header('user-agent') ?? 'unknown').slice(0, MAX_USER_AGENT);
  return { address: c.env?.address ?? 'unknown', userAgent };
}

export function bindSignOut(dashboard: Hono<DashboardEnv>, { sessions, cookie, now }: SignInDeps): void {
  dashboard.post('/sign-out', async (c) => {
    const { id, person } = c.get('session');
    await sessions.end(id, { type: 'signed-out', by: person.name, ...whereFrom(c), now: now() });
    cookie.clear(c);
    return c.redirect('/dashboard/sign-in', 303);
  });
}
