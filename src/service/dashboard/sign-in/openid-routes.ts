import type { Context, Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { returnTo } from '../../core/local-page.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { cookieOf } from '../session/cookie.ts';
import { createOpenIdProvider, OpenIdFlow, type OpenIdSettings } from './openid.ts';
import { grantsOfClaims, personOfClaims, roleOfGrants } from './openid-role.ts';
import { type SignInDeps, startSession } from './start-session.ts';

const FLOW_SECONDS = 600;

const NOT_BEGUN = new PageError(
  403,
  'Sign-in failed',
  'It was not begun in this browser within the last 10 minutes, or was refused. Try again from the sign-in page.',
);
const NO_ROLE = new PageError(
  403,
  'Not allowed',
  'You are known, but you have no role in Tocsin. Ask whoever runs it to add you or your group.',
);
const UNREACHABLE = new PageError(
  502,
  'Sign-in failed',
  'The provider could not be asked. Try again in a moment, or sign in another way.',
);

/** Sign-in by OpenID Connect: to the provider and back. */
export function bindOpenId(
  dashboard: Hono<DashboardEnv>,
  deps: SignInDeps & { readonly publicUrl: string },
  settings: OpenIdSettings,
): void {
  const { attempts, logger, publicUrl } = deps;
  const provider = createOpenIdProvider(settings, `${publicUrl}/dashboard/sign-in/openid/callback`);
  const flows = createFlowCookie(publicUrl);

  dashboard.get('/sign-in/openid', async (c) => {
    const { address, flow } = await provider.begin(returnTo(c.req.query('return_to'))).catch((error: unknown) => {
      logger.warn({ fault: faultOf(error) }, 'the OpenID provider could not be asked');
      throw UNREACHABLE;
    });
    flows.write(c, flow);
    return c.redirect(address.href);
  });

  dashboard.get('/sign-in/openid/callback', async (c) => {
    attempts.take(c, 'openid');
    const flow = flows.take(c);
    if (flow === null) {
      attempts.fail(c, 'openid');
      throw NOT_BEGUN;
    }
    const claims = await provider.finish(new URL(c.req.url).search, flow).catch((error: unknown) => {
      logger.warn({ fault: faultOf(error) }, 'sign-in by OpenID Connect refused');
      attempts.fail(c, 'openid');
      throw NOT_BEGUN;
    });
    attempts.takeVerified('openid', claims.sub);
    const grantedBy = grantsOfClaims(claims, settings.roles);
    const role = roleOfGrants(grantedBy, settings.roles);
    if (role === null) {
      throw NO_ROLE;
    }
    const person = personOfClaims(claims);
    const identity = `openid:${claims.sub}`;
    await startSession(c, deps, { person, role, method: 'openid', identity, grantedBy, apiKeyId: null });
    return c.redirect(returnTo(flow.returnTo));
  });
}

/** Only the browser that left for the provider may come back, and once. */
function createFlowCookie(publicUrl: string) {
  const { name, attributes } = cookieOf(publicUrl, 'tocsin-openid');
  return {
    write(c: Context, flow: OpenIdFlow): void {
      const value = Buffer.from(JSON.stringify(flow)).toString('base64url');
      setCookie(c, name, value, { ...attributes, maxAge: FLOW_SECONDS });
    },
    take(c: Context): OpenIdFlow | null {
      const value = getCookie(c, name);
      deleteCookie(c, name, attributes);
      return value === undefined ? null : parseFlow(value);
    },
  };
}

function parseFlow(value: string): OpenIdFlow | null {
  try {
    return OpenIdFlow.safeParse(JSON.parse(Buffer.from(value, 'base64url').toString())).data ?? null;
  } catch {
    return null;
  }
}

/** The codes of an error. Its other fields may hold what the provider sent. */
function faultOf(error: unknown): string {
  const { name = '', code = '', error: refusal = '' } = Object(error);
  return [name, code, refusal].filter((part) => typeof part === 'string' && part !== '').join(' ');
}
