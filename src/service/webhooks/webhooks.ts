import { addMilliseconds } from 'date-fns/addMilliseconds';
import { max } from 'date-fns/max';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { presentWebhook } from '../http/present.ts';
import type { ServiceMetrics } from '../metrics.ts';
import { EVENTS_CHANNEL } from '../store/event-store.ts';
import type { FailedAttempt, WebhookDelivery, WebhookEndpoint, WebhookStore } from '../store/webhook-store.ts';
import { planRetry } from './retry-schedule.ts';
import type { SendOutcome, WebhookSender } from './webhook-sender.ts';

/** Most endpoints that one process sends to at a time, and most deliveries under way to one of them. */
const MAX_ENDPOINTS = 16;
const BATCH = 8;

/** An endpoint is another process's to serve when this one has not given it back so long: longer than a batch takes. */
const LEASE_MS = 60_000;
/** Events are looked for so often, should a notification be lost. */
const LOOK_EVERY_MS = 15_000;
/** What is under way when the service stops may take so long to end; it is sent again later if it does not. */
const DRAIN_MS = 5_000;

/**
 * Sends the events of the outbox to the webhooks. What is to be sent, and when, is in the database, so any number of
 * processes share the work; an endpoint has one process at a time, and gives way to the others after each batch.
 */
export function startWebhooks(deps: {
  readonly database: Pick<Database, 'listen'>;
  readonly store: WebhookStore;
  /** Is disposed of at the end. */
  readonly sender: WebhookSender;
  readonly metrics: Pick<ServiceMetrics, 'webhookAttempted'>;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}): AsyncDisposable {
  const { database, store, sender, metrics, logger, now, publicUrl } = deps;
  const stop = new AbortController();
  const serving = new Set<Promise<void>>();
  let stopped = false;
  let looking: Promise<void> | null = null;
  let lookAgain = false;
  let timer: NodeJS.Timeout | undefined;

  function wake(): void {
    lookAgain = true;
    looking ??= lookOn();
  }

  async function lookOn(): Promise<void> {
    clearTimeout(timer);
    while (lookAgain && !stopped) {
      lookAgain = false;
      const nextAt = await look().catch((err: unknown) => {
        logger.warn({ err }, 'webhook deliveries cannot be read now');
        return null;
      });
      const delayMs = nextAt === null ? LOOK_EVERY_MS : nextAt.getTime() - now().getTime();
      clearTimeout(timer);
      timer = setTimeout(wake, Math.min(Math.max(delayMs, 0), LOOK_EVERY_MS)).unref();
    }
    looking = null;
  }

  /** @returns when it is worth while to look again; null: nobody knows yet */
  async function look(): Promise<Date | null> {
    await store.queueEvents(now());
    const free = MAX_ENDPOINTS - serving.size;
    if (free === 0 || stopped) {
      return null; // the end of what is served wakes us
    }
    const claimed = await store.claim(now(), addMilliseconds(now(), LEASE_MS), free);
    for (const endpoint of claimed) {
      const task = serve(endpoint).finally(() => {
        serving.delete(task);
        wake();
      });
      serving.add(task);
    }
    return store.findNextDue();
  }

  async function serve(endpoint: WebhookEndpoint): Promise<void> {
    const log = logger.child({ integrationId: endpoint.integrationId });
    try {
      const deliveries = await store.listDue(endpoint.integrationId, now(), BATCH);
      const outcomes = await Promise.all(deliveries.map((delivery) => attempt(endpoint, delivery)));
      await record(
        endpoint,
        outcomes.filter((outcome) => outcome !== null),
        log,
      );
    } catch (err) {
      log.warn({ err }, 'a webhook could not be served'); // it is claimed again when its lease is over
    }
  }

  /** @returns null: it was broken off, and counts for nothing */
  async function attempt(endpoint: WebhookEndpoint, delivery: WebhookDelivery): Promise<Attempt | null> {
    const { url, secret } = endpoint;
    const body = JSON.stringify(presentWebhook(delivery.event, publicUrl));
    try {
      const outcome = await sender.send({ url, secret, id: delivery.event.id, body }, stop.signal);
      metrics.webhookAttempted(outcome.kind);
      return { delivery, outcome };
    } catch (error) {
      if (stop.signal.aborted) {
        return null;
      }
      throw error;
    }
  }

  async function record({ integrationId }: WebhookEndpoint, attempts: readonly Attempt[], log: Logger): Promise<void> {
    const at = now();
    if (attempts.some(({ outcome }) => outcome.kind === 'gone')) {
      await store.disable(integrationId, 'answered 410: the receiver wants no more', at);
      log.warn('a webhook is disabled, since its receiver answered 410');
      return;
    }
    const delivered = attempts.filter(({ outcome }) => outcome.kind === 'delivered').map(({ delivery }) => delivery);
    if (delivered.length > 0) {
      await store.recordDelivered(integrationId, delivered, at);
    }
    const failures = attempts.flatMap(({ delivery, outcome }) =>
      outcome.kind === 'failed' ? [planAfter(delivery, outcome, at)] : [],
    );
    if (failures.length > 0) {
      await store.recordFailed(integrationId, failures, at);
      logFailures(failures, log);
    }
    await store.release(integrationId, max([at, ...attempts.flatMap(pauseOf)]));
  }

  const listener = database.listen(EVENTS_CHANNEL, wake);
  wake();
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      clearTimeout(timer);
      const impatience = setTimeout(() => stop.abort(), DRAIN_MS).unref();
      await Promise.all([listener[Symbol.asyncDispose](), looking]);
      await Promise.all(serving);
      clearTimeout(impatience);
      await sender[Symbol.asyncDispose]();
    },
  };
}

interface Attempt {
  readonly delivery: WebhookDelivery;
  readonly outcome: SendOutcome;
}

type Failure = Extract<SendOutcome, { readonly kind: 'failed' }>;

function planAfter(delivery: WebhookDelivery, { reason, retryAfter }: Failure, failedAt: Date): FailedAttempt {
  const { queuedAt } = delivery;
  const retryAt = planRetry({ attempts: delivery.attempts + 1, queuedAt, failedAt, retryAfter }, Math.random());
  return { delivery, reason, retryAt };
}

/** A receiver that asks for time means all that is sent to it. */
function pauseOf({ outcome }: Attempt): Date[] {
  return outcome.kind === 'failed' && outcome.retryAfter !== null ? [outcome.retryAfter] : [];
}

function logFailures(failures: readonly FailedAttempt[], log: Logger): void {
  for (const { delivery, reason, retryAt } of failures) {
    const facts = { eventId: delivery.event.id, attempts: delivery.attempts + 1, reason };
    if (retryAt === null) {
      log.error(facts, 'a webhook delivery is given up after 24 hours');
    } else if (delivery.attempts === 0) {
      log.warn({ ...facts, retryAt }, 'a webhook delivery failed');
    } else {
      log.debug({ ...facts, retryAt }, 'a webhook delivery failed again');
    }
  }
}
