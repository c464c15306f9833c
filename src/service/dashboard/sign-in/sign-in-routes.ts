import type { Hono } from 'hono';
import { z } from 'zod';
import { idOfKey } from '../../../contract/actor.ts';
import { returnTo } from '../../core/local-page.ts';
import { auditActor, roleOfKey } from '../../core/session.ts';
import { StorableText } from '../../http/storable-text.ts';
import { findLookup } from '../../store/keys/key-secret.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { whereFrom } from '../session/where-from.ts';
import { renderLinkPage } from './link-page.tsx';
import type { OpenIdSettings } from './openid.ts';
import { bindOpenId } from './openid-routes.ts';
import { renderSignInPage } from './sign-in-page.tsx';
import { bindSlackLinks, type SlackLinkDeps } from './slack-routes.ts';
import { type SignInDeps, startSession } from './start-session.ts';

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

/** The pages that need no session. */
export function bindSignIn(
  dashboard: Hono<DashboardEnv>,
  deps: SignInDeps & SlackLinkDeps & { readonly publicUrl: string; readonly openId: OpenIdSettings | null },
): void {
  const { keys, attempts, integrations, logger, now, openId } = deps;
  const openIdHost = openId === null ? null : new URL(openId.issuer).host;
  const render = async (page: string, fault: string | null) =>
    String(await renderSignInPage({ returnTo: page, fault, openIdHost, isSlackAsked: await integrations.hasSlack() }));
  bindLinks(dashboard, deps);
  bindSlackLinks(dashboard, deps, render);
  if (openId !== null) {
    bindOpenId(dashboard, deps, openId);
  }

  dashboard.get('/sign-in', async (c) => c.html(await render(returnTo(c.req.query('return_to')), null)));

  dashboard.post('/sign-in', async (c) => {
    const form = KeyForm.parse(await c.req.parseBody());
    const account = findLookup(form.key);
    attempts.take(c, 'key', account);
    const page = returnTo(form.return_to);
    const refuse = async (fault: string) => {
      attempts.fail(c, 'key', account);
      logger.warn({ address: whereFrom(c).address }, 'sign-in with an API key refused');
      return c.html(await render(page, fault), 403);
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
    const person = { user: name, name, slackUserId: null, userId: idOfKey(key) };
    const identity = `key:${key.id}:${form.name}`;
    await startSession(c, deps, { person, role, method: 'api-key', identity, grantedBy: [], apiKeyId: key.id });
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
    attempts.take(c, 'link');
    const link = await links.use(c.req.param('token'), now());
    if (link === null) {
      attempts.fail(c, 'link');
      throw USED_LINK;
    }
    const { person, role, identity, apiKeyId } = link;
    await startSession(c, deps, { person, role, method: 'link', identity, grantedBy: [], apiKeyId });
    return c.redirect(returnTo(link.returnTo), 303);
  });
}

export function bindSignOut(dashboard: Hono<DashboardEnv>, { sessions, cookie, now }: SignInDeps): void {
  dashboard.post('/sign-out', async (c) => {
    const { id, person } = c.get('session');
    await sessions.end(id, { type: 'signed-out', by: auditActor(person), ...whereFrom(c), now: now() });
    cookie.clear(c);
    return c.redirect('/dashboard/sign-in', 303);
  });
}
