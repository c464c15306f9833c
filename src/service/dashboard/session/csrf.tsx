import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { mediaTypeOf } from '../../ingest/media-type.ts';
import type { DashboardEnv, DashboardSession } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';

const FIELD = '_csrf';
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD'];

/** @param token of the session; the result reveals nothing of it */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}

/** Every form that is posted contains it. */
export function CsrfField({ session }: { readonly session: Pick<DashboardSession, 'csrfToken'> }) {
  return <input type="hidden" name={FIELD} value={session.csrfToken} />;
}

/**
 * Refuses what another site makes a browser send, and everything that is not a form. Browsers tell by `Sec-Fetch-Site`,
 * older ones by `Origin`, which is `null` where the policy for referrers hides it. A request with neither is refused.
 */
export function refuseForeignForms(publicUrl: string): MiddlewareHandler<DashboardEnv> {
  const publicOrigin = new URL(publicUrl).origin;
  return async (c, next) => {
    if (SAFE_METHODS.includes(c.req.method)) {
      return next();
    }
    const site = c.req.header('sec-fetch-site');
    const origin = c.req.header('origin') ?? 'null';
    const isOwnOrigin = origin === publicOrigin || origin === new URL(c.req.url).origin;
    const isOwn = isOwnOrigin
      ? site === undefined || site === 'same-origin'
      : origin === 'null' && site === 'same-origin';
    if (!isOwn) {
      throw new PageError(403, 'Request refused', 'Forms are accepted only from Tocsin’s own pages.');
    }
    if (mediaTypeOf(c.req.raw.headers) !== 'application/x-www-form-urlencoded') {
      throw new PageError(415, 'Request refused', 'Only plain forms are accepted here.');
    }
    return next();
  };
}

/** @throws {PageError} unless the form carries the token of its session */
export async function demandCsrfToken(c: Context<DashboardEnv>, session: DashboardSession): Promise<void> {
  if (SAFE_METHODS.includes(c.req.method)) {
    return;
  }
  const given = (await c.req.parseBody())[FIELD];
  if (typeof given !== 'string' || !isSame(given, session.csrfToken)) {
    throw new PageError(
      403,
      'Form out of date',
      'The form belongs to an earlier sign-in. Go back, reload the page and try again.',
    );
  }
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
