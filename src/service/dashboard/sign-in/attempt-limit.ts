import type { Context } from 'hono';
import ipaddr from 'ipaddr.js';
import { RequestError } from '../../http/problem.ts';
import { createRateLimit } from '../../http/rate-limit.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { whereFrom } from '../session/where-from.ts';

/** Attempts a minute of one network. */
const PER_NETWORK = 10;
/** Failed attempts a minute of all networks, before those that have failed are refused. */
const FAILURES_ALTOGETHER = 300;

/** Ways to sign in. Each has limits of its own, so that guessing at one keeps nobody from another. */
export type Purpose = 'key' | 'link' | 'slack' | 'openid';

/**
 * Bounds the work and the noise; keys and links cannot be guessed. Strangers cannot lock out a colleague: a network
 * without a failed attempt is never refused for what others do.
 */
export interface AttemptLimit {
  /** @throws {PageError} after too many attempts of the request's network */
  take(c: Context<DashboardEnv>, purpose: Purpose): void;
  /** The attempt came to nothing. */
  fail(c: Context<DashboardEnv>, purpose: Purpose): void;
}

export function createAttemptLimit(now: () => Date): AttemptLimit {
  const limit = (name: string, quota: number) => createRateLimit({ name, quota, now });
  const limitsOf = (purpose: Purpose) => ({
    attempts: limit(`sign-in by ${purpose}`, PER_NETWORK),
    /** Whether a network has failed within a minute: its one unit is spent. */
    failed: limit(`failed sign-in by ${purpose}`, 1),
    altogether: limit(`failed sign-in of all by ${purpose}`, FAILURES_ALTOGETHER),
  });
  const limits = {
    key: limitsOf('key'),
    link: limitsOf('link'),
    slack: limitsOf('slack'),
    openid: limitsOf('openid'),
  } satisfies Record<Purpose, unknown>;
  return {
    take(c, purpose) {
      const network = networkOf(whereFrom(c).address);
      const { attempts, failed, altogether } = limits[purpose];
      try {
        attempts.take(network);
        if (!failed.isLeft(network) && !altogether.isLeft('all')) {
          altogether.take('all');
        }
      } catch (error) {
        throw error instanceof RequestError ? tooMany(error.headers['retry-after'] ?? '60') : error;
      }
    },
    fail(c, purpose) {
      const { failed, altogether } = limits[purpose];
      failed.spend(networkOf(whereFrom(c).address), 1);
      altogether.spend('all', 1);
    },
  };
}

function tooMany(seconds: string): PageError {
  const advice = `Too many attempts to sign in. Wait ${seconds} seconds, then try again.`;
  return new PageError(429, 'Too many attempts', advice, { 'retry-after': seconds });
}

/** One person may have all addresses of an IPv6 network of 64 bits, so they count as one. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) {
    return address;
  }
  const parsed = ipaddr.process(address); // an IPv4 address in IPv6 becomes IPv4
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
