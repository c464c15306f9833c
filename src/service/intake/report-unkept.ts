import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Unkept, type UnkeptKind, unkept } from '../core/unkept.ts';
import type { IntegrationStore } from '../store/integrations/integration-store.ts';
import type { RefusedPayloadStore } from '../store/integrations/refused-payload-store.ts';
import type { OutOfTime, TimeWindow } from './time-window.ts';

/** The same kind is reported of a sender at most this often. */
const TELL_MS = 60_000;
/** Senders that are remembered. The oldest are evicted, so that made-up senders cannot fill the memory. */
const MAX_SENDERS = 1_000;

/** What only an answer says. Everything else is reported. */
const ONLY_ANSWERED: readonly UnkeptKind[] = ['opens-nothing'];

/** Reports what was accepted, but not kept or without effect: counted, in the log, and at the sender's integration. */
export interface UnkeptReports {
  /** @param of.example the beginning of one of them, without secrets; null: it cannot be shown */
  report(sender: string, of: Omit<Unkept, 'example'> & { readonly example: string | null }, now: Date): Promise<void>;
}

export function createUnkeptReports(deps: {
  readonly integrations: Pick<IntegrationStore, 'recordUnkept'>;
  readonly refusedPayloads: Pick<RefusedPayloadStore, 'add'>;
  readonly onUnkept: (kind: UnkeptKind, count: number) => void;
  readonly logger: Logger;
}): UnkeptReports {
  const { integrations, refusedPayloads, onUnkept, logger } = deps;
  const reportedAt = new LRUCache<string, number>({ max: MAX_SENDERS });

  return {
    async report(sender, { kind, count, reason, example }, now) {
      onUnkept(kind, count);
      const name = `${kind} ${sender}`;
      const before = reportedAt.get(name) ?? Number.NEGATIVE_INFINITY;
      if (ONLY_ANSWERED.includes(kind) || now.getTime() - before < TELL_MS) {
        return;
      }
      reportedAt.set(name, now.getTime());
      logger.warn({ sender, kind, count }, 'something was accepted, but not kept');
      try {
        await integrations.recordUnkept(sender, reason, now);
        await refusedPayloads.add(sender, { at: now, fault: reason, text: example, kind: 'unkept' });
      } catch (err) {
        logger.warn({ err, sender }, 'a notice for an integration could not be stored');
      }
    },
  };
}

/** null: the times are right. */
export function outOfTime({ past, ahead }: OutOfTime, { pastMs, aheadMs }: TimeWindow): Unkept | null {
  const sentences = [
    past === 0
      ? []
      : `${past} items of telemetry in one request are older than ${pastMs / 60_000} minutes. Failures among them are stored as signals, but do not open incidents.`,
    ahead === 0
      ? []
      : `${ahead} items of telemetry in one request are more than ${aheadMs / 1_000} seconds ahead of our clock, and were taken as of now.`,
  ];
  const advice = 'Check the clock of the sender, and whether it sends old data again.';
  return past + ahead === 0 ? null : unkept('out-of-time', past + ahead, `${sentences.flat().join(' ')} ${advice}`);
}
