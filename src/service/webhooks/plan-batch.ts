import { addMilliseconds } from '../../runtime/dates.ts';
import type { DeliveryAttempt } from '../core/delivery-attempt.ts';
import { DISABLE_AFTER_MS, type EndpointHealth, healthAfter, shouldDisable } from '../core/endpoint-health.ts';
import { createId } from '../core/ids.ts';
import type {
  BatchResult,
  Disabling,
  FailedDelivery,
  WebhookDelivery,
  WebhookEndpoint,
} from '../store/webhooks/webhook-store.ts';
import { planPause, planRetry } from './retry-schedule.ts';
import type { SendOutcome, SendResult } from './webhook-sender.ts';

export interface Attempt {
  readonly delivery: WebhookDelivery;
  readonly result: SendResult;
}

type Failure = Extract<SendOutcome, { readonly kind: 'failed' }>;

/**
 * What follows from the attempts of one batch.
 *
 * @param attempts at least one
 * @param random gives numbers from 0 to below 1, for the jitter
 */
export function planBatch(
  endpoint: Pick<WebhookEndpoint, 'health' | 'deliveredAgoMs'>,
  attempts: readonly Attempt[],
  random: () => number,
): BatchResult {
  const delivered = attempts
    .filter(({ result }) => result.outcome.kind === 'delivered')
    .map(({ delivery }) => delivery);
  const failures = attempts.flatMap(({ result: { outcome } }) => (outcome.kind === 'failed' ? [outcome] : []));
  const health = healthAfter(endpoint.health, {
    delivered: delivered.length,
    failed: failures.length,
    unavailable: failures.filter(({ isUnavailable }) => isUnavailable).length,
  });
  const retries = new Map(
    attempts.flatMap(({ delivery, result: { outcome } }) =>
      outcome.kind === 'failed' ? [[delivery, planNext(delivery, outcome, endpoint, health, random())]] : [],
    ),
  );
  const failed = [...retries].map(([delivery, retryInMs]): FailedDelivery => ({ delivery, retryInMs }));
  const lastError = failures.at(-1)?.reason ?? null;
  return {
    attempts: attempts.map((attempt) => describeAttempt(attempt, retries.get(attempt.delivery) ?? null)),
    delivered,
    failed,
    health,
    lastError,
    disabled: decideDisabling(attempts, health, lastError),
    pauseMs: planPause(health.failures, longestRetryAfter(failures), random()),
  };
}

/**
 * A delivery is given up after a day, if its receiver accepted others since it was queued. Otherwise the receiver itself
 * fails: it keeps its deliveries until it is disabled, and gets them when it is enabled again.
 */
function planNext(
  delivery: WebhookDelivery,
  { retryAfterMs }: Failure,
  { deliveredAgoMs }: Pick<WebhookEndpoint, 'deliveredAgoMs'>,
  { failingForMs }: EndpointHealth,
  random: number,
): number | null {
  const { ageMs } = delivery;
  const retryInMs = planRetry({ attempts: delivery.attempts + 1, ageMs, retryAfterMs }, random);
  const acceptsOthers = failingForMs === null || (deliveredAgoMs !== null && deliveredAgoMs < ageMs);
  return retryInMs === null && !acceptsOthers ? Math.max(0, DISABLE_AFTER_MS - failingForMs) : retryInMs;
}

function decideDisabling(
  attempts: readonly Attempt[],
  health: EndpointHealth,
  lastError: string | null,
): Disabling | null {
  if (attempts.some(({ result }) => result.outcome.kind === 'gone')) {
    return { because: 'gone', reason: 'answered 410: the receiver wants no more' };
  }
  return shouldDisable(health)
    ? { because: 'failing', reason: `failed for 24 hours; the last attempt: ${lastError ?? 'failed'}` }
    : null;
}

/** A receiver that asks for a pause means all deliveries. */
function longestRetryAfter(failures: readonly Failure[]): number | null {
  const delays = failures.flatMap(({ retryAfterMs }) => (retryAfterMs === null ? [] : [retryAfterMs]));
  return delays.length === 0 ? null : Math.max(...delays);
}

function describeAttempt({ delivery, result }: Attempt, retryInMs: number | null): DeliveryAttempt {
  const { event, attempts } = delivery;
  return {
    ...describeResult(result),
    eventId: event.id,
    eventType: event.type,
    sequence: event.sequence,
    attempt: attempts + 1,
    nextAttemptAt: retryInMs === null ? null : addMilliseconds(result.startedAt, result.durationMs + retryInMs),
  };
}

export function describeResult({
  startedAt,
  durationMs,
  httpStatus,
  excerpt,
  outcome,
}: SendResult): Pick<DeliveryAttempt, 'id' | 'attemptedAt' | 'durationMs' | 'httpStatus' | 'response' | 'error'> {
  return {
    id: createId('dlv', startedAt),
    attemptedAt: startedAt,
    durationMs,
    httpStatus,
    response: excerpt,
    error: describeOutcome(outcome),
  };
}

function describeOutcome(outcome: SendOutcome): string | null {
  switch (outcome.kind) {
    case 'delivered':
      return null;
    case 'gone':
      return 'answered 410';
    case 'failed':
      return outcome.reason;
  }
}
