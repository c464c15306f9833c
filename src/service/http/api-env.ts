import type { Hono, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ObservedEnv } from './observe-requests.ts';
import { RequestError } from './problem.ts';
import type { RateLimitEnv } from './rate-limit.ts';

export interface ApiEnv {
  Variables: ObservedEnv['Variables'] &
    RateLimitEnv['Variables'] & {
      /** Masked payload to keep, also when it is not refused. Absent: the beginning of a refused body. */
      payload?: string;
    };
}

/** Refuses a body by its declared length without reading it, so that the server can skip it and keep the connection. */
export function limitBody(maxSize: number): MiddlewareHandler {
  const refuse = () => {
    throw new RequestError('body-too-large', `a body may have at most ${maxSize} bytes`);
  };
  const count = bodyLimit({ maxSize, onError: refuse });
  return async (c, next) => {
    const length = c.req.header('content-length');
    if (length === undefined) {
      return count(c, next);
    }
    return Number(length) > maxSize ? refuse() : next();
  };
}

export function refuseOtherMethods(api: Hono<ApiEnv>, path: string, methods: readonly string[]): void {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  api.all(path, () => {
    throw new RequestError('method-not-allowed', `this address supports ${allow}`, { headers: { allow } });
  });
}
