import type { MiddlewareHandler } from 'hono';
import { LRUCache } from 'lru-cache';
import type { ApiKey } from '../core/api-key.ts';
import { RequestError } from './problem.ts';

const WINDOW_SECONDS = 60;
/** More keys than a minute sees; one that is forgotten begins anew. */
const MAX_KEYS = 10_000;
/**
 * A sender of telemetry batches, so its items are counted, not its requests: at the default of 1,200 requests a minute
 * 6,000,000 spans, points, records and alerts, which is more than one process takes.
 */
const ITEMS_PER_REQUEST = 5_000;

export interface RateLimitEnv {
  Variables: {
    key: ApiKey;
    /** How much a request of ingest brought; absent: one. */
    items?: number;
  };
}

export interface RateLimits<Env extends RateLimitEnv> {
  readonly requests: MiddlewareHandler<Env>;
  readonly ingest: MiddlewareHandler<Env>;
}

/**
 * Two quotas for each key, so that sending telemetry keeps nobody from reading. They come after the key is known.
 *
 * @param perMinute requests of one key; null: no limit
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
  /** Takes one unit. @throws {RequestError} when the key has none left */
  take(keyId: string): void;
  /** Takes what turned out to be more than one unit. It may leave a debt, which time pays off. */
  spend(keyId: string, units: number): void;
  /** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers); `t` is when the quota is whole again. */
  describe(keyId: string): Readonly<Record<string, string>>;
}

/**
 * A token bucket for each key, in the memory of this process: `quota` units at once, and as many a minute. A key that
 * calls several processes has as many times the quota.
 */
export function createRateLimit(options: {
  readonly name: string;
  readonly quota: number;
  readonly now: () => Date;
}): RateLimit {
  const { name, quota, now } = options;
  const unitsPerSecond = quota / WINDOW_SECONDS;
  const buckets = new LRUCache<string, { readonly units: number; readonly atMs: number }>({ max: MAX_KEYS });

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
    const wholeAgainSeconds = Math.ceil((quota - units) / unitsPerSecond);
    return {
      'ratelimit-policy': `"${name}";q=${quota};w=${WINDOW_SECONDS}`,
      ratelimit: `"${name}";r=${Math.max(0, Math.floor(units))};t=${wholeAgainSeconds}`,
    };
  }

  return {
    take(keyId) {
      const units = unitsOf(keyId);
      if (units < 1) {
        const retryAfterSeconds = Math.ceil((1 - units) / unitsPerSecond);
        throw new RequestError('rate-limited', `this API key has spent its ${quota} a minute: slow down, then go on`, {
          headers: { ...describe(keyId), 'retry-after': String(retryAfterSeconds) },
        });
      }
      spend(keyId, 1);
    },
    spend,
    describe,
  };
}
