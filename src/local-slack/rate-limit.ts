import { RateLimitedError } from './errors.ts';
import { LIMITS } from './limits.ts';

/** One message a second a channel, after a burst. */
export interface PostLimiter {
  /** @throws RateLimitedError when the channel has had its share */
  take(channel: string): void;
}

export function createPostLimiter(now: () => Date): PostLimiter {
  const buckets = new Map<string, { readonly tokens: number; readonly atMs: number }>();
  return {
    take(channel) {
      const atMs = now().getTime();
      const bucket = buckets.get(channel) ?? { tokens: LIMITS.postBurst, atMs };
      const refilled = bucket.tokens + ((atMs - bucket.atMs) / 1000) * LIMITS.postsPerSecond;
      const tokens = Math.min(LIMITS.postBurst, refilled);
      if (tokens < 1) {
        throw new RateLimitedError(Math.max(1, Math.ceil((1 - tokens) / LIMITS.postsPerSecond)));
      }
      buckets.set(channel, { tokens: tokens - 1, atMs });
    },
  };
}
