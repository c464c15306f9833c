import type { MiddlewareHandler } from 'hono';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../runtime/cache-limit.ts';
import type { ApiKey } from '../core/api-key.ts';
import { RequestError } from './problem.ts';

const WINDOW_SECONDS = 60;
/** More keys than are used in a minute. An evicted key starts with a full quota. */
const MAX_KEYS = 10_000;
/**
 * Senders of telemetry send batches, so their items are counted. The default of 1,200 requests a minute gives 6,000,000
 * spans, points, records and alerts, which is more than one process can handle.
 */
const ITEMS_PER_REQUEST = 5_000;

export interface RateLimitEnv {
  Variables: {
    key: ApiKey;
    /** Number of items in a request of ingest; absent: one. */
    items?: number;
  };
}

export interface RateLimits<Env extends RateLimitEnv> {
  readonly requests: MiddlewareHandler<Env>;
  readonly ingest: MiddlewareHandler<Env>;
}

/**
 * Two quotas per key, so that sending telemetry does not use up the quota for other requests. Must run after
 * authentication.
 *
 * @param perMinute requests per key; null: no limit
 */
export function createRateLimits<Env extends RateLimitEnv>(perMinute: number | null, now: () => Date): RateLimits<Env> {
  if (perMinute === null) {
    return { requests: (_c, next) => next(), ingest: (_c, next) => next() };
  }
  const limitTo = (limit: RateLimit): MiddlewareHandler<Env> => {
    return async (c, next) => {
      const keyId = c.get('key').id;
      limit.take(keyId);
      await next();
      limit.spend(keyId, Math.max(0, (c.get('items') ?? 1) - 1));
      for (const [name, value] of Object.entries(limit.describe(keyId))) {
        c.header(name, value);
      }
    };
  };
  return {
    requests: limitTo(createRateLimit({ name: 'default', quota: perMinute, now })),
    ingest: limitTo(createRateLimit({ name: 'ingest', quota: perMinute * ITEMS_PER_REQUEST, now })),
  };
}

interface RateLimit {
  /** Takes one unit. @throws {RequestError} when none is left */
  take(keyId: string): void;
  /** Whether a unit is left. */
  isLeft(keyId: string): boolean;
  /** Takes units that are known only after the request. The balance may become negative. */
  spend(keyId: string, units: number): void;
  /** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers); `t` is the time until the quota is full. */
  describe(keyId: string): Readonly<Record<string, string>>;
}

/**
 * A token bucket per key with `quota` units, refilled within a minute. It is in the memory of this process, so a key has a
 * quota per process.
 */
export function createRateLimit(options: {
  readonly name: string;
  readonly quota: number;
  readonly now: () => Date;
}): RateLimit {
  const { name, quota, now } = options;
  const unitsPerSecond = quota / WINDOW_SECONDS;
  const buckets = new LRUCache<string, { readonly units: number; readonly atMs: number }>(atMost(MAX_KEYS));

  function unitsOf(keyId: string): number {
    const bucket = buckets.get(keyId);
    if (bucket === undefined) {
      return quota;
    }
    const elapsedSeconds = Math.max(0, now().getTime() - bucket.atMs) / 1_000;
    return Math.min(quota, bucket.units + elapsedSeconds * unitsPerSecond);
  }

  function spend(keyId: string, units: number): void {
    buckets.set(keyId, { units: unitsOf(keyId) - units, atMs: now().getTime() });
  }

  function describe(keyId: string): Readonly<Record<string, string>> {
    const units = unitsOf(keyId);
    const fullInSeconds = Math.ceil((quota - units) / unitsPerSecond);
    return {
      'ratelimit-policy': `"${name}";q=${quota};w=${WINDOW_SECONDS}`,
      ratelimit: `"${name}";r=${Math.max(0, Math.floor(units))};t=${fullInSeconds}`,
    };
  }

  return {
    take(keyId) {
      const units = unitsOf(keyId);
      if (units < 1) {
        const retryAfterSeconds = Math.ceil((1 - units) / unitsPerSecond);
        throw new RequestError(
          'rate-limited',
          `this API key has used its ${quota} a minute: slow down and try again later`,
          {
            headers: { ...describe(keyId), 'retry-after': String(retryAfterSeconds) },
          },
        );
      }
      spend(keyId, 1);
    },
    isLeft: (keyId) => unitsOf(keyId) >= 1,
    spend,
    describe,
  };
}
