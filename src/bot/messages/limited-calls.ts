import type { Logger } from 'pino';
import { classifySlackFailure } from '../slack/errors.ts';
import type { CardMethod, LimitStore } from '../store/limits.ts';

/** Makes a call to Slack, and keeps what Slack asks to wait for. Throws what the call throws. */
export type LimitedCall = <Result>(
  method: CardMethod,
  channelId: string,
  call: () => Promise<Result>,
) => Promise<Result>;

/** A limit is of one call in one channel: the other calls there, and all in other channels, go on. */
export function createLimitedCall(deps: {
  limits: Pick<LimitStore, 'record'>;
  logger: Logger;
  now: () => Date;
}): LimitedCall {
  return async (method, channelId, call) => {
    try {
      return await call();
    } catch (error) {
      const failure = classifySlackFailure(error);
      if (failure.kind === 'rate-limited') {
        const limitedAt = deps.now();
        const pausedUntil = new Date(limitedAt.getTime() + failure.retryAfterMs);
        await deps.limits.record({ channelId, method, limitedAt, pausedUntil });
        deps.logger.warn({ channelId, method, retryMs: failure.retryAfterMs }, 'Slack limits the rate');
      }
      throw error;
    }
  };
}
