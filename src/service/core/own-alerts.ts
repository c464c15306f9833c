import type { SignalBatch } from './signal.ts';
import { fingerprint as join } from './text.ts';

/** The fingerprint that is stored for an alert of this sender. */
export function ownFingerprint(sender: string, fingerprint: string): string {
  return join(sender, fingerprint);
}

/**
 * Makes the alerts of a batch those of its sender: no other sender can end or repeat them, even if theirs have the same
 * labels. Replicas that share an integration are one sender.
 */
export function ownAlerts(batch: SignalBatch): SignalBatch {
  const { sender, signals, ends } = batch;
  if (sender === undefined) {
    return batch;
  }
  const own = (fingerprint: string) => ownFingerprint(sender, fingerprint);
  return {
    ...batch,
    signals: signals.map((signal) =>
      signal.detail.type === 'alert' ? { ...signal, fingerprint: own(signal.fingerprint) } : signal,
    ),
    ...(ends === undefined ? {} : { ends: ends.map((end) => ({ ...end, fingerprint: own(end.fingerprint) })) }),
  };
}
