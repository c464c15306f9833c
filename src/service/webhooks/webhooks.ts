import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop } from '../../runtime/loop.ts';
import { settlesWithin } from '../../runtime/timeout.ts';
import { presentWebhook } from '../core/present.ts';
import { EVENTS_CHANNEL } from '../store/event-store.ts';
import type { FailedAttempt, WebhookDelivery, WebhookEndpoint, WebhookStore } from '../store/webhook-store.ts';
import { planRetry } from './retry-schedule.ts';
import type { SendOutcome, WebhookSender } from './webhook-sender.ts';

/** Maximum number of endpoints that one process serves at a time, and of concurrent deliveries to one of them. */
const MAX_ENDPOINTS = 16;
const BATCH = 8;

/** Lease of an endpoint; longer than a batch takes. */
const LEASE_MS = 60_000;
/** Interval of looking for events, in case a notification was lost. */
const POLL_MS = 15_000;
/** Running deliveries get this long to finish at shutdown. Aborted ones are sent again later. */
const DRAIN_MS = 5_000;

/**
 * Sends events to webhooks. All state is in the database, so any number of processes share the work. One process at a
 * time serves an endpoint, and releases it after each batch.
 */
export function startWebhooks(deps: {
  readonly database: Pick<Database, 'listen'>;
  readonly store: WebhookStore;
  /** Disposed of with the webhooks. */
  readonly sender: WebhookSender;
  readonly onAttempt: (outcome: SendOutcome['kind']) => void;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Without a slash at the end. */
  readonly publicUrl: string;
}): AsyncDisposable {
  const { database, store, sender, onAttempt, logger, clock, publicUrl } = deps;
  const abort = new AbortController();
  const serving = new Set<Promise<void>>();

  /** @returns the delay until the next step; the end of a served batch kicks the loop too */
  async function serveDue(stopping: AbortSignal): Promise<number> {
    await store.queueEvents();
    const free = MAX_ENDPOINTS - serving.size;
    if (free === 0 || stopping.aborted) {
      return POLL_MS;
    }
    for (const endpoint of await store.claim(LEASE_MS, free)) {
      const task = serve(endpoint).finally(() => {
        serving.delete(task);
        loop.kick();
      });
      serving.add(task);
    }
    const nextMs = (await store.findNextDueMs()) ?? POLL_MS;
    return Math.min(Math.max(nextMs, 0), POLL_MS);
  }

  async function serve(endpoint: WebhookEndpoint): Promise<void> {
    const log = logger.child({ integrationId: endpoint.integrationId });
    try {
      const deliveries = await store.listDue(endpoint.integrationId, BATCH);
      const attempts = await Promise.all(deliveries.map((delivery) => attempt(endpoint, delivery)));
      const finished = attempts.filter((each) => each !== null);
      await record(endpoint, finished, log);
    } catch (err) {
      log.warn({ err }, 'a webhook could not be served'); // it is claimed again after its lease
    }
  }

  /** @returns null: aborted, and does not count as an attempt */
  async function attempt(endpoint: WebhookEndpoint, delivery: WebhookDelivery): Promise<Attempt | null> {
    const { url, secret } = endpoint;
    const body = JSON.stringify(presentWebhook(delivery.event, publicUrl));
    try {
      const outcome = await sender.send({ url, secret, id: delivery.event.id, body }, abort.signal);
      onAttempt(outcome.kind);
      return { delivery, outcome };
    } catch (error) {
      if (abort.signal.aborted) {
        return null;
      }
      throw error;
    }
  }

  async function record({ integrationId }: WebhookEndpoint, attempts: readonly Attempt[], log: Logger): Promise<void> {
    if (attempts.some(({ outcome }) => outcome.kind === 'gone')) {
      await store.disable(integrationId, 'answered 410: the receiver wants no more', clock.now());
      log.warn('a webhook is disabled because its receiver answered 410');
      return;
    }
    const delivered = attempts.filter(({ outcome }) => outcome.kind === 'delivered').map(({ delivery }) => delivery);
    if (delivered.length > 0) {
      await store.recordDelivered(integrationId, delivered, clock.now());
    }
    const failures = attempts.flatMap(({ delivery, outcome }) =>
      outcome.kind === 'failed' ? [planAfter(delivery, outcome)] : [],
    );
    if (failures.length > 0) {
      await store.recordFailed(integrationId, failures);
      logFailures(failures, log);
    }
    await store.release(integrationId, Math.max(0, ...attempts.map(pauseMsOf)));
  }

  const loop = createLoop({
    name: 'webhooks',
    step: serveDue,
    retry: { firstMs: 1_000, longestMs: POLL_MS },
    logger,
    clock,
  });
  const listener = database.listen(EVENTS_CHANNEL, () => loop.kick());
  loop.start();
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all([listener[Symbol.asyncDispose](), loop[Symbol.asyncDispose]()]);
      const served = Promise.all(serving);
      await settlesWithin(DRAIN_MS, served);
      abort.abort();
      await served;
      await sender[Symbol.asyncDispose]();
    },
  };
}

interface Attempt {
  readonly delivery: WebhookDelivery;
  readonly outcome: SendOutcome;
}

type Failure = Extract<SendOutcome, { readonly kind: 'failed' }>;

function planAfter(delivery: WebhookDelivery, { reason, retryAfterMs }: Failure): FailedAttempt {
  const failed = { attempts: delivery.attempts + 1, ageMs: delivery.ageMs, retryAfterMs };
  return { delivery, reason, retryInMs: planRetry(failed, Math.random()) };
}

/** A receiver that asks for a pause means all deliveries. */
function pauseMsOf({ outcome }: Attempt): number {
  return outcome.kind === 'failed' ? (outcome.retryAfterMs ?? 0) : 0;
}

function logFailures(failures: readonly FailedAttempt[], log: Logger): void {
  for (const { delivery, reason, retryInMs } of failures) {
    const facts = { eventId: delivery.event.id, attempts: delivery.attempts + 1, reason };
    if (retryInMs === null) {
      log.error(facts, 'a webhook delivery is given up after 24 hours');
    } else if (delivery.attempts === 0) {
      log.warn({ ...facts, retryInMs }, 'a webhook delivery failed');
    } else {
      log.debug({ ...facts, retryInMs }, 'a webhook delivery failed again');
    }
  }
}
