import type { MiddlewareHandler } from 'hono';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';

const LOOPBACK: readonly string[] = ['127.0.0.1', '[::1]'];

/**
 * Answers only requests whose `Host` is that of the public address, so that no other name leads to the dashboard: a page
 * of another site that makes its name point here gets nothing. The names of this machine are one.
 */
export function demandPublicHost(publicUrl: string): MiddlewareHandler<DashboardEnv> {
  const { protocol, origin } = new URL(publicUrl);
  const expected = hostOf(origin);
  return async (c, next) => {
    const given = c.req.header('host') ?? new URL(c.req.url).host;
    const asked = URL.parse(`${protocol}//${given}`)?.origin;
    if (asked === undefined || hostOf(asked) !== expected) {
      throw new PageError(
        421,
        'Another address',
        `This dashboard is at ${publicUrl}/dashboard. If you came from there, the proxy in front must pass on the Host header.`,
      );
    }
    return next();
  };
}

/** With the port, unless it is the protocol's own. */
function hostOf(origin: string): string {
  const { hostname, host, port } = new URL(origin);
  return LOOPBACK.includes(hostname) ? `localhost${port === '' ? '' : `:${port}`}` : host;
}
