import type { Severity } from '../../contract/resources.ts';
import { type AboutAlerts, inhibitionOf } from '../core/inhibition.ts';
import type { ObservedSignal, SignalBatch } from '../core/signal.ts';
import type { AlertItem, TelemetryItem } from '../core/telemetry-item.ts';
import { notAhead } from './time-window.ts';

/** Converts a batch into items for correlation. None is ahead of `now`, see `notAhead`. */
export function itemsOf(
  { signals, ends = [], telemetry = [], sender = '' }: SignalBatch,
  { histories, rules }: AboutAlerts,
  now: Date,
): readonly TelemetryItem[] {
  const alerts = signals.flatMap((signal) => {
    const alert = toAlertItem(signal);
    const ofSender = rules.get(sender) ?? [];
    return alert === null
      ? []
      : [
          {
            ...alert,
            ...histories.get(signal.fingerprint),
            ...inhibitionOf(ofSender, sender, signal.attributes),
          },
        ];
  });
  const over = ends.map(({ fingerprint, endedAt }) => toEndItem(fingerprint, endedAt));
  return notAhead([...alerts, ...over, ...telemetry], now);
}

/** How much an alert weighs, by its sender's severity. */
const STRENGTHS: Readonly<Record<Severity, number>> = { critical: 1, error: 0.9, warning: 0.7, info: 0.4 };

/** @returns null: the signal is no alert */
function toAlertItem({
  detail,
  service,
  lastSeenAt,
  fingerprint,
  summary,
  severity,
  traceId,
  endedAt,
}: ObservedSignal) {
  if (detail.type !== 'alert') {
    return null;
  }
  return {
    ...NO_ALERT,
    service,
    at: lastSeenAt.getTime(),
    fingerprint,
    subject: summary,
    ...(detail.place != null && { place: detail.place }),
    strength: STRENGTHS[severity],
    traceId,
    hasEnded: detail.reportsEnd ? endedAt !== null : null,
  };
}

/** Its incident is found by its fingerprint. */
function toEndItem(fingerprint: string, endedAt: Date): AlertItem {
  return { ...NO_ALERT, at: endedAt.getTime(), fingerprint, hasEnded: true };
}

const NO_ALERT: AlertItem = {
  kind: 'alert',
  service: '',
  at: 0,
  instance: null,
  fingerprint: '',
  family: 'alert',
  peer: null,
  subject: '',
  strength: 0,
  traceId: null,
  hasEnded: null,
};
