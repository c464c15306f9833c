import type { Context } from 'hono';
import { networkOf } from '../../http/key-gate.ts';
import { RequestError } from '../../http/problem.ts';
import { createRateLimit } from '../../http/rate-limit.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { whereFrom } from '../session/where-from.ts';

/** Attempts a minute of one network. */
const PER_NETWORK = 10;
/** Failed attempts a minute of all networks, before those that have failed are refused. */
const FAILURES_ALTOGETHER = 300;
/** The same for one account. */
const FAILURES_PER_ACCOUNT = 20;
/** Times a minute that one account may come back from its provider, which has verified it. */
const PER_VERIFIED_ACCOUNT = 10;

/** Ways to sign in. Each has limits of its own, so that guessing at one keeps nobody from another. */
export type Purpose = 'key' | 'link' | 'slack' | 'openid';

/**
 * Bounds the work and the noise; keys and links cannot be guessed. Strangers cannot lock out a colleague: a network
 * without a failed attempt is never refused for what others do.
 */
export interface AttemptLimit {
  /**
   * @param account that is tried, such as the public part of a key; null: not known
   * @throws {PageError} after too many attempts of the request's network, or failures of the account
   */
  take(c: Context<DashboardEnv>, purpose: Purpose, account?: string | null): void;
  /** The attempt came to nothing. */
  fail(c: Context<DashboardEnv>, purpose: Purpose, account?: string | null): void;
  /** The attempt is that of this account, as somebody has verified. @throws {PageError} after too many of it */
  takeVerified(purpose: Purpose, account: string): void;
}

export function createAttemptLimit(now: () => Date): AttemptLimit {
  const limit = (name: string, quota: number) => createRateLimit({ name, quota, now });
  const limitsOf = (purpose: Purpose) => ({
    attempts: limit(`sign-in by ${purpose}`, PER_NETWORK),
    /** Whether a network has failed within a minute: its one unit is spent. */
    failed: limit(`failed sign-in by ${purpose}`, 1),
    altogether: limit(`failed sign-in of all by ${purpose}`, FAILURES_ALTOGETHER),
    ofAccount: limit(`failed sign-in of an account by ${purpose}`, FAILURES_PER_ACCOUNT),
    verified: limit(`sign-in of an account by ${purpose}`, PER_VERIFIED_ACCOUNT),
  });
  const limits = {
    key: limitsOf('key'),
    link: limitsOf('link'),
    slack: limitsOf('slack'),
    openid: limitsOf('openid'),
  } satisfies Record<Purpose, unknown>;
  return {
    take(c, purpose, account = null) {
      const network = networkOf(whereFrom(c).address);
      const { attempts, failed, altogether, ofAccount } = limits[purpose];
      orTooMany(() => {
        attempts.take(network);
        if (failed.isLeft(network)) {
          return;
        }
        demandLeft(altogether, 'all');
        if (account !== null) {
          demandLeft(ofAccount, account);
        }
      });
    },
    fail(c, purpose, account = null) {
      const { failed, altogether, ofAccount } = limits[purpose];
      failed.spend(networkOf(whereFrom(c).address), 1);
      altogether.spend('all', 1);
      if (account !== null) {
        ofAccount.spend(account, 1);
      }
    },
    takeVerified: (purpose, account) => orTooMany(() => limits[purpose].verified.take(account)),
  };
}

/** Takes nothing while something is left. @throws {RequestError} */
function demandLeft(limit: Pick<ReturnType<typeof createRateLimit>, 'isLeft' | 'take'>, of: string): void {
  if (!limit.isLeft(of)) {
    limit.take(of);
  }
}

/** @throws {PageError} */
function orTooMany(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw error instanceof RequestError ? tooMany(error.headers['retry-after'] ?? '60') : error;
  }
}

function tooMany(seconds: string): PageError {
  const advice = `Too many attempts to sign in. Wait ${seconds} seconds, then try again.`;
  return new PageError(429, 'Too many attempts', advice, { 'retry-after': seconds });
}
