import type { Hono, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Unkept } from '../core/unkept.ts';
import type { RefusedPayload } from '../store/integrations/refused-payload-store.ts';
import type { ObservedEnv } from './observe-requests.ts';
import { RequestError } from './problem.ts';
import type { RateLimitEnv } from './rate-limit.ts';

/** A masked payload, and what it was. */
export type KeptPayload = Pick<RefusedPayload, 'kind' | 'outcome'> & { readonly text: string };

export interface ApiEnv {
  Bindings: {
    /** Where the request came from; absent: not over HTTP/1. */
    address?: string;
  };
  Variables: ObservedEnv['Variables'] &
    RateLimitEnv['Variables'] & {
      /** What to keep, also when it is not refused. Absent: the beginning of a refused body. */
      payload?: KeptPayload;
      /** What it has not brought about, see `noteUnkept`. Absent: nothing. */
      unkept?: readonly Unkept[];
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
