import type { SignalBatch } from './signal.ts';
import { fingerprint as join } from './text.ts';

/**
 * Makes the alerts of a batch those of its sender: no other sender can end or repeat them, even if theirs have the same
 * labels. Replicas that share an integration are one sender.
 */
export function ownAlerts(batch: SignalBatch): SignalBatch {
  const { sender, signals, ends } = batch;
  if (sender === undefined) {
    return batch;
  }
  const own = (fingerprint: string) => join(sender, fingerprint);
  return {
    ...batch,
    signals: signals.map((signal) =>
      signal.detail.type === 'alert' ? { ...signal, fingerprint: own(signal.fingerprint) } : signal,
    ),
    ...(ends === undefined ? {} : { ends: ends.map((end) => ({ ...end, fingerprint: own(end.fingerprint) })) }),
  };
}
