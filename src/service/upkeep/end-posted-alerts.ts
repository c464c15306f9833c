import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import { signalOfPosted } from '../core/posted-alert.ts';
import type { SignalBatch } from '../core/signal.ts';
import type { PostedAlertStore } from '../store/integrations/posted-alert-store.ts';

const PERIOD_MS = 15_000;
const BATCH = 5_000;

/** Ends the signals of alerts that Prometheus no longer posts, at the time that its last post named. */
export function createPostedAlertEnd(deps: {
  readonly alerts: Pick<PostedAlertStore, 'listOver' | 'removeOver'>;
  readonly accept: (batch: SignalBatch) => Promise<unknown>;
  readonly logger: Logger;
  readonly clock: Clock;
}): Loop {
  const { logger, clock } = deps;
  return createLoop({
    name: 'posted alerts',
    async step() {
      const ended = await endPostedAlerts(deps, clock.now());
      return ended === BATCH ? 0 : PERIOD_MS;
    },
    retry: { firstMs: PERIOD_MS, longestMs: PERIOD_MS },
    logger,
    clock,
  });
}

/** @returns how many have ended */
async function endPostedAlerts(
  { alerts, accept }: Pick<Parameters<typeof createPostedAlertEnd>[0], 'alerts' | 'accept'>,
  now: Date,
): Promise<number> {
  const over = await alerts.listOver(now, BATCH);
  for (const [sender, ofSender] of Map.groupBy(over, (alert) => alert.sender)) {
    const ends = ofSender.map((alert) => ({ fingerprint: signalOfPosted(alert), endedAt: alert.endsAt }));
    await accept({ signals: [], ends, sender });
    await alerts.removeOver(ofSender);
  }
  return over.length;
}
