import { randomUUID } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Logger } from 'pino';
import { traced } from '../../runtime/traced.ts';
import { OverloadedError } from '../core/errors.ts';
import type { ServiceMetrics } from '../metrics.ts';
import { STATUS_BY_CODE } from './problem.ts';
import { createTraceId, readTraceId } from './trace-context.ts';

/** A client's `x-request-id` is used if it matches. */
const SANE_REQUEST_ID = /^[\w.:/+=-]{1,128}$/;

export interface ObservedEnv {
  Variables: { requestId: string; traceId: string };
}

interface Answered {
  /** Pattern of the path. */
  readonly route: string;
  readonly status: number;
}

/** Assigns the request id (`x-request-id`) and trace id (`traceparent`), logs, counts and traces the request. */
export function observeRequests<Env extends ObservedEnv>(deps: {
  readonly logger: Logger;
  readonly metrics: ServiceMetrics;
}): MiddlewareHandler<Env> {
  async function observe(c: Context<Env>, next: () => Promise<void>, spanTraceId: string | null): Promise<Answered> {
    const startedAt = performance.now();
    const given = c.req.header('x-request-id') ?? '';
    const requestId = SANE_REQUEST_ID.test(given) ? given : randomUUID();
    const traceId = spanTraceId ?? readTraceId(c.req.header('traceparent')) ?? createTraceId();
    c.set('requestId', requestId);
    c.set('traceId', traceId);
    await next();
    c.header('x-request-id', requestId);
    const { status } = c.res;
    const durationMs = performance.now() - startedAt;
    const request = { method: c.req.method, route: routeOf(c), status, durationMs };
    deps.metrics.requestAnswered(request);
    const level = status < 400 || status === STATUS_BY_CODE['client-gone'] ? 'debug' : 'info';
    deps.logger[level]({ requestId, traceId, ...request, durationMs: Math.round(durationMs) }, 'request answered');
    return request;
  }

  return async (c, next) => {
    const { method } = c.req;
    const work = { name: method, kind: 'server', traceparent: c.req.header('traceparent') } as const;
    await traced(work, async (span) => {
      const { route, status } = await observe(c, next, span.traceId);
      span.rename(`${method} ${route}`);
      span.set({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status });
      if (status >= 500) {
        span.fail(String(status));
      }
    });
  };
}

/** Counts refused requests of ingest. */
export function observeIngest<Env extends ObservedEnv>(metrics: ServiceMetrics): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next();
    if (c.res.status >= 400) {
      metrics.ingestRefused(c.error instanceof OverloadedError ? 'overloaded' : c.res.status);
    }
  };
}

/** The pattern, because the path itself may contain anything. */
function routeOf<Env extends ObservedEnv>(c: Context<Env>): string {
  return matchedRoutes(c).findLast(({ path }) => !path.includes('*'))?.path ?? 'none';
}
