import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { RefusedPayloadStore } from '../store/integrations/refused-payload-store.ts';
import type { OutOfTime, TimeWindow } from './time-window.ts';

/** A sender is reported at most this often. */
const TELL_MS = 60_000;
/** Senders that are remembered. The oldest are evicted, so that made-up senders cannot fill the memory. */
const MAX_SENDERS = 1_000;

/** Reports that the times in a sender's telemetry are wrong: in the log, and on the page of its integration. */
export interface OutOfTimeNotices {
  report(sender: string | null, count: OutOfTime, now: Date): void;
}

export function createOutOfTimeNotices(deps: {
  readonly refusedPayloads: Pick<RefusedPayloadStore, 'add'>;
  readonly window: TimeWindow;
  readonly logger: Logger;
}): OutOfTimeNotices {
  const { refusedPayloads, window, logger } = deps;
  const reportedAt = new LRUCache<string, number>({ max: MAX_SENDERS });

  return {
    report(sender, count, now) {
      const name = sender ?? '';
      const before = reportedAt.get(name) ?? Number.NEGATIVE_INFINITY;
      if (count.past + count.ahead === 0 || now.getTime() - before < TELL_MS) {
        return;
      }
      reportedAt.set(name, now.getTime());
      logger.warn({ sender, ...count }, 'the times in telemetry are far from now');
      if (sender !== null) {
        refusedPayloads
          .add(sender, { at: now, fault: describe(count, window), text: null })
          .catch((err: unknown) => logger.warn({ err }, 'a notice for an integration could not be stored'));
      }
    },
  };
}

function describe({ past, ahead }: OutOfTime, { pastMs, aheadMs }: TimeWindow): string {
  const sentences = [
    past === 0
      ? []
      : `${past} items of telemetry in one request are older than ${pastMs / 60_000} minutes. Failures among them are stored as signals, but do not open incidents.`,
    ahead === 0
      ? []
      : `${ahead} items of telemetry in one request are more than ${aheadMs / 1_000} seconds ahead of our clock, and were taken as of now.`,
  ];
  return `${sentences.flat().join(' ')} Check the clock of the sender, and whether it sends old data again.`;
}
