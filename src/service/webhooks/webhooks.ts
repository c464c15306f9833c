import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { LONGEST_WAIT_MS } from '../../effects/new-effects.ts';
import type { EffectKind, Performer } from '../../effects/performer.ts';
import { EVENTS_CHANNEL } from '../store/events/event-store.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { QUEUE_KIND, WEBHOOK_KIND } from '../store/webhooks/webhook-queue.ts';
import type {
  BatchResult,
  Disabling,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookStore,
} from '../store/webhooks/webhook-store.ts';
import { eventMessage } from './message.ts';
import { type Attempt, planBatch } from './plan-batch.ts';
import type { SendOutcome, WebhookSender } from './webhook-sender.ts';

/** Endpoints that a process serves at a time. */
const PLACES = 80;
/** Endpoints that fail share so many lanes, so that they never take the places of healthy ones. */
const FAILING_LANES = 8;

/** Concurrent deliveries to one endpoint. One that fails gets a single one at a time, as a probe. */
const BATCH = 8;
/** After these, others get the place. */
const MOST_BATCHES = 10;

interface WebhookDeps {
  readonly database: Pick<Database, 'listen'>;
  readonly performer: Pick<Performer<ServiceTables>, 'add' | 'kick'>;
  readonly store: WebhookStore;
  readonly sender: WebhookSender;
  readonly onAttempt: (outcome: SendOutcome['kind']) => void;
  readonly onDisabled: (because: Disabling['because']) => void;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Without a slash at the end. */
  readonly publicUrl: string;
}

/** Adds the effects of webhooks to the performer of the process. @returns what tells it of events */
export function startWebhooks(deps: WebhookDeps): AsyncDisposable {
  const { database, performer, store } = deps;
  performer.add({
    [QUEUE_KIND]: {
      target: 'events',
      async carryOut() {
        await store.queueEvents();
        performer.kick();
        return { againInMs: (await store.isBehind()) ? 0 : LONGEST_WAIT_MS };
      },
      endOf: () => null,
    },
    [WEBHOOK_KIND]: createWebhookKind(deps),
  });
  return database.listen(EVENTS_CHANNEL, () => performer.kick());
}

/** Sends what is due to an endpoint, a batch at a time. Its receiver drops what it gets twice, by the id of the event. */
function createWebhookKind(deps: WebhookDeps): EffectKind<ServiceTables> {
  const { store, sender, onAttempt, onDisabled, logger, now, publicUrl } = deps;

  /** @returns null: aborted, and does not count as an attempt */
  async function attempt(
    endpoint: WebhookEndpoint,
    delivery: WebhookDelivery,
    stopping: AbortSignal,
  ): Promise<Attempt | null> {
    const message = eventMessage(endpoint.receiver, delivery.event, publicUrl);
    try {
      const result = await sender.send(message, stopping);
      onAttempt(result.outcome.kind);
      return { delivery, result };
    } catch (error) {
      if (stopping.aborted) {
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

  /** @returns how the endpoint is now; null: nothing is due, or the attempts were aborted */
  async function sendBatch(id: string, stopping: AbortSignal): Promise<{ isFailing: boolean; isLast: boolean } | null> {
    const [endpoint, due] = await Promise.all([store.findReady(id), store.listDue(id, BATCH)]);
    if (endpoint === null) {
      return null;
    }
    const probes = endpoint.health.failingForMs === null ? due : due.slice(0, 1);
    const attempts = (await Promise.all(probes.map((each) => attempt(endpoint, each, stopping)))).filter(
      (each) => each !== null,
    );
    if (attempts.length === 0) {
      return null;
    }
    const result = planBatch(endpoint, attempts, Math.random);
    await store.record(id, result, now());
    report(result, logger.child({ integrationId: id }));
    return { isFailing: result.health.failingForMs !== null, isLast: due.length < BATCH };
  }

  return {
    target: 'webhooks',
    pace: PLACES,
    async carryOut({ id: effectId, subject: id, lane: before }, _begin, stopping) {
      let lane = before;
      for (let batch = 0; batch < MOST_BATCHES && !stopping.aborted; batch += 1) {
        const sent = await sendBatch(id, stopping);
        if (sent !== null) {
          lane = sent.isFailing ? `failing ${Number.parseInt(effectId.slice(0, 2), 16) % FAILING_LANES}` : id;
        }
        if (sent === null || sent.isLast) {
          return { againInMs: (await store.findNextDueMs(id)) ?? LONGEST_WAIT_MS, lane };
        }
      }
      return { againInMs: 0, lane };
    },
    endOf: () => null,
  };
}
