import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { createAttemptLimit } from './attempt-limit.ts';

const NOW = new Date('2026-11-25T10:00:00Z');

/** Sign-in with a key, which is never the right one. */
function startSignIn() {
  const attempts = createAttemptLimit(() => NOW);
  const app = new Hono<DashboardEnv>();
  app.onError((error, c) => c.body(null, error instanceof PageError ? error.status : 500));
  app.get('/:account', (c) => {
    const account = c.req.param('account');
    attempts.take(c, 'key', account);
    attempts.fail(c, 'key', account);
    return c.body(null, 403);
  });
  const attempt = async (account: string, address: string) =>
    (await app.request(`/${account}`, {}, { address })).status;
  return { attempts, attempt };
}

it('refuses more attempts on an account to networks that have failed, and to no other', async () => {
  const { attempt } = startSignIn();

  for (let network = 1; network <= 20; network += 1) {
    expect(await attempt('ana', `198.51.100.${network}`)).toBe(403);
  }

  expect(await attempt('ana', '198.51.100.1')).toBe(429);
  expect(await attempt('ben', '198.51.100.2')).toBe(403);
  expect(await attempt('ana', '203.0.113.9')).toBe(403);
});

it('lets a verified account come back ten times a minute, from wherever', () => {
  const { attempts } = startSignIn();

  for (let time = 1; time <= 10; time += 1) {
    attempts.takeVerified('openid', 'ana');
  }

  expect(() => attempts.takeVerified('openid', 'ana')).toThrow(PageError);
  expect(() => attempts.takeVerified('openid', 'ben')).not.toThrow();
});
