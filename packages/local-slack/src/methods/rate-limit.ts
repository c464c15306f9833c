import { RateLimitedError } from '../errors.ts';
import { LIMITS } from '../limits.ts';

/** So many calls at once for each key, which come back at a steady rate. */
interface Limiter {
  /** @throws RateLimitedError when the key has had its share */
  take(key: string): void;
}

/** One message a second a channel, after a burst. */
export type PostLimiter = Limiter;

export function createPostLimiter(now: () => Date): PostLimiter {
  return createLimiter(now, () => ({ burst: LIMITS.postBurst, perSecond: LIMITS.postsPerSecond }));
}

/** Calls of a method a minute, by its tier; a method without one is free. */
export function createMethodLimiter(
  now: () => Date,
  tierOf: (method: string) => keyof typeof LIMITS.callsPerMinute | undefined,
): Limiter {
  return createLimiter(now, (method) => {
    const tier = tierOf(method);
    const perMinute = tier && LIMITS.callsPerMinute[tier];
    return perMinute === undefined ? null : { burst: perMinute, perSecond: perMinute / 60 };
  });
}

function createLimiter(now: () => Date, rateOf: (key: string) => { burst: number; perSecond: number } | null): Limiter {
  const buckets = new Map<string, { readonly tokens: number; readonly atMs: number }>();
  return {
    take(key) {
      const rate = rateOf(key);
      if (rate === null) {
        return;
      }
      const atMs = now().getTime();
      const bucket = buckets.get(key) ?? { tokens: rate.burst, atMs };
      const refilled = bucket.tokens + ((atMs - bucket.atMs) / 1000) * rate.perSecond;
      const tokens = Math.min(rate.burst, refilled);
      if (tokens < 1) {
        throw new RateLimitedError(Math.max(1, Math.ceil((1 - tokens) / rate.perSecond)));
      }
      buckets.set(key, { tokens: tokens - 1, atMs });
    },
  };
}
