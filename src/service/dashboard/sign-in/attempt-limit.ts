import type { Context } from 'hono';
import { RequestError } from '../../http/problem.ts';
import { createRateLimit } from '../../http/rate-limit.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { whereFrom } from '../session/where-from.ts';

/** Attempts a minute. Keys and links cannot be guessed; the limits bound the work and the noise. */
const PER_ADDRESS = 10;
const ALTOGETHER = 300;

export interface AttemptLimit {
  /** @throws {PageError} after too many attempts, from the address of the request or altogether */
  take(c: Context<DashboardEnv>): void;
}

export function createAttemptLimit(now: () => Date): AttemptLimit {
  const perAddress = createRateLimit({ name: 'sign-in', quota: PER_ADDRESS, now });
  const altogether = createRateLimit({ name: 'sign-in of all', quota: ALTOGETHER, now });
  return {
    take(c) {
      try {
        perAddress.take(whereFrom(c).address);
        altogether.take('all');
      } catch (error) {
        if (!(error instanceof RequestError)) {
          throw error;
        }
        const seconds = error.headers['retry-after'] ?? '60';
        const advice = `Too many attempts to sign in. Wait ${seconds} seconds, then try again.`;
        throw new PageError(429, 'Too many attempts', advice, { 'retry-after': seconds });
      }
    },
  };
}
