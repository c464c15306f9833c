import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ObservedEnv } from './observe-requests.ts';
import { RequestError } from './problem.ts';
import type { RateLimitEnv } from './rate-limit.ts';

export interface ApiEnv {
  Variables: ObservedEnv['Variables'] & RateLimitEnv['Variables'];
}

export function limitBody(maxSize: number) {
  return bodyLimit({
    maxSize,
    onError: () => {
      throw new RequestError('body-too-large', `a body may have at most ${maxSize} bytes`);
    },
  });
}

export function refuseOtherMethods(api: Hono<ApiEnv>, path: string, methods: readonly string[]): void {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  api.all(path, () => {
    throw new RequestError('method-not-allowed', `this address knows ${allow}`, { headers: { allow } });
  });
}
