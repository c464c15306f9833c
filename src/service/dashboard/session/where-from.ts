import type { Context } from 'hono';
import type { DashboardEnv } from '../dashboard-env.ts';

const MAX_USER_AGENT = 300;

/** Where a request came from, for the audit. */
export function whereFrom(c: Context<DashboardEnv>): { readonly address: string; readonly userAgent: string } {
  const userAgent = (c.req.header('user-agent') ?? 'unknown').slice(0, MAX_USER_AGENT);
  return { address: c.env?.address ?? 'unknown', userAgent };
}
