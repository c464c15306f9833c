import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hoursToMilliseconds } from '../../runtime/dates.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../store/webhooks/webhook-store.ts';
import { planBatch } from './plan-batch.ts';
import type { SendOutcome } from './webhook-sender.ts';

const DAY_MS = hoursToMilliseconds(24);
const AT = new Date('2026-01-31T08:00:00Z');

const HEALTHY: Pick<WebhookEndpoint, 'health' | 'deliveredAgoMs'> = {
  health: { failingForMs: null, failures: 0 },
  deliveredAgoMs: 1_000,
};
const DELIVERED: SendOutcome = { kind: 'delivered' };
const UNAVAILABLE: SendOutcome = { kind: 'failed', reason: 'answered 500', retryAfterMs: null, isUnavailable: true };
const REFUSED: SendOutcome = { kind: 'failed', reason: 'answered 400', retryAfterMs: null, isUnavailable: false };

function delivery(sequence: number, state: Partial<WebhookDelivery> = {}): WebhookDelivery {
  const integration = { id: 'int_1', type: 'webhook', name: null, reason: null, failingSince: null };
  const event = {
    sequence: BigInt(sequence),
    id: `evt_${sequence}`,
    type: 'integration.enabled' as const,
    occurredAt: AT,
    integration,
  };
  return { event, ageMs: 0, attempts: 0, ...state };
}

function attempt(outcome: SendOutcome, of = delivery(1)) {
  return { delivery: of, result: { outcome, startedAt: AT, durationMs: 20, httpStatus: 500, excerpt: 'no' } };
}

const plan = (attempts: ReturnType<typeof attempt>[], endpoint: Partial<typeof HEALTHY> = {}) =>
  planBatch({ ...HEALTHY, ...endpoint }, attempts, () => 0);

it('retries a failed delivery, and leaves an unavailable receiver alone for a while', () => {
  const result = plan([attempt(UNAVAILABLE)]);

  expect(result).toMatchObject({ delivered: [], lastError: 'answered 500', disabled: null, pauseMs: 500 });
  expect(result.failed).toMatchObject([{ retryInMs: 2_500 }]);
  expect(result.attempts).toMatchObject([
    { eventId: 'evt_1', attempt: 1, httpStatus: 500, error: 'answered 500', response: 'no' },
  ]);
  expect(result.attempts[0]?.nextAttemptAt).toEqual(new Date(AT.getTime() + 2_520));
});

it('does not let an event that the receiver refuses hold up others', () => {
  const alone = plan([attempt(REFUSED)]);
  const together = plan([attempt(UNAVAILABLE, delivery(1)), attempt(DELIVERED, delivery(2))]);

  expect(alone.pauseMs).toBe(0);
  expect(together).toMatchObject({ pauseMs: 0, lastError: 'answered 500', health: { failingForMs: null } });
});

it('gives up a delivery after a day only if the receiver has accepted another since', () => {
  const old = attempt(UNAVAILABLE, delivery(1, { ageMs: DAY_MS, attempts: 60 }));
  const failing = { failingForMs: DAY_MS - 5_000, failures: 60 };

  const accepting = plan([old], { deliveredAgoMs: 60_000 });
  const silent = plan([old], { deliveredAgoMs: DAY_MS + 60_000, health: failing });
  const never = plan([old], { deliveredAgoMs: null, health: failing });

  expect(accepting.failed).toMatchObject([{ retryInMs: null }]);
  expect([silent, never].map(({ failed, disabled }) => [failed[0]?.retryInMs, disabled])).toEqual([
    [5_000, null],
    [5_000, null],
  ]);
});

it('disables a receiver after a day of failures, and one that wants no more', () => {
  const health = { failingForMs: DAY_MS, failures: 60 };

  expect(plan([attempt(UNAVAILABLE)], { health, deliveredAgoMs: null })).toMatchObject({
    disabled: { because: 'failing', reason: 'failed for 24 hours; the last attempt: answered 500' },
    failed: [{ retryInMs: expect.any(Number) }],
  });
  expect(plan([attempt(DELIVERED)], { health }).disabled).toBeNull();
  expect(plan([attempt({ kind: 'gone' })]).disabled).toMatchObject({ because: 'gone' });
});

it('loses no delivery: each is delivered, retried or given up', () => {
  const outcomes = fc.constantFrom(DELIVERED, UNAVAILABLE, REFUSED);
  fc.assert(
    fc.property(fc.array(outcomes, { minLength: 1, maxLength: 8 }), fc.nat(2 * DAY_MS), (all, ageMs) => {
      const attempts = all.map((outcome, index) => attempt(outcome, delivery(index, { ageMs })));

      const { delivered, failed, attempts: logged } = plan(attempts);

      const settled = [...delivered, ...failed.map((each) => each.delivery)].map(({ event }) => event.id);
      expect(settled.toSorted()).toEqual(attempts.map((each) => each.delivery.event.id).toSorted());
      expect(logged).toHaveLength(all.length);
    }),
  );
});
