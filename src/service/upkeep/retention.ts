import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { minutesToMilliseconds } from '../../runtime/dates.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import type { EventStore } from '../store/events/event-store.ts';
import type { IdempotencyStore } from '../store/idempotency-store.ts';
import type { IncidentRetention } from '../store/incidents/incident-retention.ts';
import type { IncidentStore } from '../store/incidents/incident-store.ts';
import type { PageLog } from '../store/pages/page-log.ts';
import type { AuditRetention } from '../store/people/audit-retention.ts';
import type { Partitions } from '../store/signals/partitions.ts';
import type { SignalRetention } from '../store/signals/signal-retention.ts';
import type { DeliveryLog } from '../store/webhooks/delivery-log.ts';

const PERIOD_MS = minutesToMilliseconds(10);
/** A start has enough to do, and what has expired can wait. */
const FIRST_AFTER_MS = minutesToMilliseconds(1);

/**
 * Makes room for the signals of the next day. Removes expired events, responses, webhook deliveries, signals, incidents, audit
 * entries, counts of failures and effects of pages.
 */
export function createRetention(deps: {
  readonly events: EventStore;
  readonly idempotency: IdempotencyStore;
  readonly deliveries: Pick<DeliveryLog, 'prune'>;
  readonly partitions: Pick<Partitions, 'prepare'>;
  readonly signals: SignalRetention;
  readonly oldIncidents: IncidentRetention;
  readonly audit: AuditRetention;
  readonly incidents: Pick<IncidentStore, 'pruneFailures'>;
  readonly pages: Pick<PageLog, 'prune'>;
  readonly logger: Logger;
  readonly clock: Clock;
}): Loop {
  const { events, idempotency, deliveries, partitions, signals, oldIncidents, audit, incidents, pages } = deps;
  const { logger, clock } = deps;
  return createLoop({
    name: 'retention',
    firstAfterMs: FIRST_AFTER_MS,
    async step() {
      const now = clock.now();
      const results = await Promise.allSettled([
        partitions.prepare(now),
        events.prune(now),
        idempotency.prune(),
        deliveries.prune(now),
        signals.prune(now).then(() => oldIncidents.prune(now)), // an incident goes after its signals
        audit.prune(now),
        incidents.pruneFailures(now),
        pages.prune(),
      ]);
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) {
        throw new Error('expired data could not be removed, or no room be made for the next day', {
          cause: failed.reason,
        });
      }
      return PERIOD_MS;
    },
    retry: { firstMs: minutesToMilliseconds(1), longestMs: PERIOD_MS },
    logger,
    clock,
  });
}
