import type { Context, Hono } from 'hono';
import type { Logger } from 'pino';
import { z } from 'zod';
import { returnTo } from '../../core/local-page.ts';
import { roleOfKey, type SignIn } from '../../core/session.ts';
import { StorableText } from '../../http/storable-text.ts';
import type { ApiKeyStore } from '../../store/api-key-store.ts';
import type { SessionStore } from '../../store/session-store.ts';
import type { SignInLinkStore } from '../../store/sign-in-link-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import type { SessionCookie } from '../session/cookie.ts';
import type { AttemptLimit } from './attempt-limit.ts';
import { renderLinkPage } from './link-page.tsx';
import { renderSignInPage } from './sign-in-page.tsx';

const MAX_USER_AGENT = 300;

const KeyForm = z.object({
  key: z.string().trim().max(200).catch(''),
  name: StorableText.trim().max(100).catch(''),
  return_to: z.string().catch(''),
});

const USED_LINK = new PageError(
  410,
  'This link does not work any more',
  'A link signs in one person, once, within its time. Type /incidents dashboard in Slack to get another.',
);
const WRONG_KEY = 'This API key is unknown, has expired or was revoked.';
const INGEST_KEY = 'This is an ingest key, which may only send signals. Use a read-only or read-write key.';

export interface SignInDeps {
  readonly sessions: SessionStore;
  readonly keys: ApiKeyStore;
  readonly links: SignInLinkStore;
  readonly cookie: SessionCookie;
  readonly attempts: AttemptLimit;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** The pages that need no session. */
export function bindSignIn(dashboard: Hono<DashboardEnv>, deps: SignInDeps): void {
  const { keys, attempts, logger, now } = deps;
  bindLinks(dashboard, deps);

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
    const person = { user: name, name, slackUserId: null };
    const identity = `key:${key.id}:${form.name}`;
    await startSession(c, deps, { person, role, method: 'api-key', identity, apiKeyId: key.id });
    return c.redirect(page, 303);
  });
}

function bindLinks(dashboard: Hono<DashboardEnv>, deps: SignInDeps): void {
  const { links, attempts, now } = deps;

  // Previews and scanners of links read the page, so only the button uses the link.
  dashboard.get('/sign-in/links/:token', async (c) => {
    const link = await links.find(c.req.param('token'), now());
    if (link === null) {
      throw USED_LINK;
    }
    return c.html(renderLinkPage({ path: c.req.path, person: link.person, role: link.role }));
  });

  dashboard.post('/sign-in/links/:token', async (c) => {
    attempts.take(whereFrom(c).address);
    const link = await links.use(c.req.param('token'), now());
    if (link === null) {
      throw USED_LINK;
    }
    const { person, role, identity, apiKeyId } = link;
    await startSession(c, deps, { person, role, method: 'link', identity, apiKeyId });
    return c.redirect(returnTo(link.returnTo), 303);
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
