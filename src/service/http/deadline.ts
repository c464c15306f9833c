import type { MiddlewareHandler } from 'hono';
import { RequestError } from './problem.ts';

const TIME = 'tocsin-time';

/**
 * Refuses a request that arrives after its `tocsin-deadline`, because its sender has given it up and may have decided
 * otherwise since. Each response has the time of this process as `tocsin-time`, so that senders need not trust their own clock.
 */
export function observeDeadline(now: () => Date): MiddlewareHandler {
  return async (c, next) => {
    const deadline = c.req.header('tocsin-deadline');
    const at = now();
    if (deadline !== undefined && new Date(deadline) <= at) {
      const detail = 'the request arrived after its tocsin-deadline, so nothing was done';
      throw new RequestError('request-expired', detail, { headers: { [TIME]: at.toISOString() } });
    }
    await next();
    c.header(TIME, at.toISOString());
  };
}
