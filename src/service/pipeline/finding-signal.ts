import type { Evidence } from '../core/evidence.ts';
import { seenOnce } from '../core/fold.ts';
import type { ObservedSignal, SignalDetail } from '../core/signal.ts';
import { FINDING } from '../core/signal-source.ts';
import { clip, oneLine, TEXT_LIMITS } from '../core/text.ts';
import { describe } from '../engine/sentences/reasons.ts';

/** Weaker evidence is not stored as a signal. */
const LEAST_WORTH = 0.2;

/**
 * Converts a finding of the engine into a signal. Failed spans, error lines and alerts are signals already, and a
 * failing call is known by the failed spans at its ends.
 *
 * @returns null: there is nothing to store
 */
export function toFindingSignal(evidence: Evidence): ObservedSignal | null {
  const { origin, service, family, fingerprint, at, since = at, strength, rarity } = evidence;
  if (origin === 'alert' || origin === 'change' || evidence.signals !== undefined) {
    return null;
  }
  if (family === 'failed_calls' || strength * rarity < LEAST_WORTH) {
    return null;
  }
  return {
    type: origin,
    service,
    summary: oneLine(describe(evidence), TEXT_LIMITS.summary),
    severity: 'warning',
    ...seenOnce(new Date(at)),
    observedAt: new Date(family === 'requests_stopped' ? since : at),
    fingerprint: clip(fingerprint, TEXT_LIMITS.fingerprint),
    traceId: evidence.traceId,
    spanId: null,
    attributes: {},
    source: { format: FINDING, family },
    detail: detailOf(evidence),
  };
}

function detailOf({ origin, family, subject, example = subject, now, usual }: Evidence): SignalDetail {
  switch (origin) {
    case 'metric':
      return { type: 'metric', value: now, threshold: usual, unit: family === 'latency_metric' ? 's' : '' };
    case 'log':
      return { type: 'log', body: clip(example, TEXT_LIMITS.body) };
    case 'trace':
    case 'alert':
    case 'change':
      return { type: 'trace', durationMs: now, status: 'unset' };
  }
}

/** Fingerprints of the stored signals behind evidence. */
export function signalsOf(evidence: Pick<Evidence, 'fingerprint' | 'signals'>): readonly string[] {
  return evidence.signals ?? [clip(evidence.fingerprint, TEXT_LIMITS.fingerprint)];
}
