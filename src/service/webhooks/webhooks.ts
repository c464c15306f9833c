import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop } from '../../runtime/loop.ts';
import { settlesWithin } from '../../runtime/timeout.ts';
import { EVENTS_CHANNEL } from '../store/events/event-store.ts';
import type {
  BatchResult,
  Disabling,
  Lane,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookStore,
} from '../store/webhooks/webhook-store.ts';
import { createLanes } from './lanes.ts';
import { eventMessage } from './message.ts';
import { type Attempt, planBatch } from './plan-batch.ts';
import type { SendOutcome, WebhookSender } from './webhook-sender.ts';

const LANES: readonly Lane[] = ['healthy', 'failing'];

/** Concurrent deliveries to one endpoint. One that fails gets a single one at a time, as a probe. */
const BATCH: Readonly<Record<Lane, number>> = { healthy: 8, failing: 1 };

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
  readonly onDisabled: (because: Disabling['because']) => void;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Without a slash at the end. */
  readonly publicUrl: string;
}): AsyncDisposable {
  const { database, store, sender, onAttempt, onDisabled, logger, clock, publicUrl } = deps;
  const abort = new AbortController();
  const serving = new Set<Promise<void>>();
  const lanes = createLanes(clock, () => loop.kick());

  /** @returns the delay until the next step; a place that becomes free runs one too */
  async function serveDue(stopping: AbortSignal): Promise<number> {
    const mayHaveMore = await store.queueEvents();
    for (const lane of LANES) {
      const free = lanes.free(lane);
      if (free > 0 && !stopping.aborted) {
        for (const endpoint of await store.claim(lane, LEASE_MS, free)) {
          start(lane, endpoint);
        }
      }
    }
    if (mayHaveMore) {
      return 0;
    }
    const nextMs = await store.findNextDueMs(LANES.filter((lane) => lanes.free(lane) > 0));
    return Math.min(Math.max(nextMs ?? POLL_MS, 0), POLL_MS);
  }

  function start(lane: Lane, endpoint: WebhookEndpoint): void {
    const leave = lanes.enter(lane);
    const task = serve(lane, endpoint).finally(() => {
      serving.delete(task);
      leave();
    });
    serving.add(task);
  }

  async function serve(lane: Lane, endpoint: WebhookEndpoint): Promise<void> {
    const { integrationId } = endpoint;
    const log = logger.child({ integrationId });
    try {
      const deliveries = await store.listDue(integrationId, BATCH[lane]);
      const attempts = await Promise.all(deliveries.map((delivery) => attempt(endpoint, delivery)));
      const finished = attempts.filter((each) => each !== null);
      if (finished.length === 0) {
        await store.release(integrationId);
        return;
      }
      const result = planBatch(endpoint, finished, Math.random);
      await store.record(integrationId, result, clock.now());
      report(result, log);
    } catch (err) {
      log.warn({ err }, 'a webhook could not be served'); // it is claimed again after its lease
    }
  }

  /** @returns null: aborted, and does not count as an attempt */
  async function attempt(endpoint: WebhookEndpoint, delivery: WebhookDelivery): Promise<Attempt | null> {
    const message = eventMessage(endpoint.receiver, delivery.event, publicUrl);
    try {
      const result = await sender.send(message, abort.signal);
      onAttempt(result.outcome.kind);
      return { delivery, result };
    } catch (error) {
      if (abort.signal.aborted) {
        return null;
      }
      throw error;
    }
  }

  function report({ failed, attempts, disabled }: BatchResult, log: Logger): void {
    for (const { delivery, retryInMs } of failed) {
      const reason = attempts.find(({ sequence }) => sequence === delivery.event.sequence)?.error;
      const facts = { eventId: delivery.event.id, attempts: delivery.attempts + 1, reason };
      if (retryInMs === null) {
        log.error(facts, 'a webhook delivery is given up after 24 hours');
      } else if (delivery.attempts === 0) {
        log.warn({ ...facts, retryInMs }, 'a webhook delivery failed');
      } else {
        log.debug({ ...facts, retryInMs }, 'a webhook delivery failed again');
      }
    }
    if (disabled !== null) {
      log.warn({ reason: disabled.reason }, 'a webhook is disabled');
      onDisabled(disabled.because);
    }
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
