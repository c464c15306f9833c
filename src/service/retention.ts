import { hoursToMilliseconds } from 'date-fns/hoursToMilliseconds';
import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import type { Logger } from 'pino';
import { startEvery } from './every.ts';
import type { EventStore } from './store/event-store.ts';
import type { IdempotencyStore } from './store/idempotency-store.ts';
import type { SignalRetention } from './store/signal-retention.ts';

/** Removes what is kept for a time only. */
export function startRetention(deps: {
  readonly events: EventStore;
  readonly answers: IdempotencyStore;
  readonly signals: SignalRetention;
  readonly logger: Logger;
  readonly now: () => Date;
}): AsyncDisposable {
  const { events, answers, signals, logger, now } = deps;
  const works = [
    startEvery(hoursToMilliseconds(1), logger, 'old events could not be removed', () => events.prune(now())),
    startEvery(minutesToMilliseconds(10), logger, 'old answers could not be removed', () => answers.prune(now())),
    startEvery(minutesToMilliseconds(10), logger, 'old signals could not be removed yet', () => signals.prune(now())),
  ];
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(works.map((work) => work[Symbol.asyncDispose]()));
    },
  };
}
