import { RateLimitedError } from '../errors.ts';
import { LIMITS } from '../limits.ts';

/** A token bucket for each key. */
interface Limiter {
  /** @throws RateLimitedError when the bucket of the key is empty */
  take(key: string): void;
}

/** Limits messages per channel. */
export type PostLimiter = Limiter;

export function createPostLimiter(now: () => Date): PostLimiter {
  return createLimiter(now, () => ({ burst: LIMITS.postBurst, perSecond: LIMITS.postsPerSecond }));
}

/** Limits calls per method by tier. Methods without a tier are not limited. */
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
