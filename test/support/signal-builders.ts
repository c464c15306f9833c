import type { StoredSignal } from '../../src/service/core/signal.ts';

/** Builders for signals. */

export const START_MS = Date.parse('2026-01-31T08:00:00Z');

interface SignalSpec extends Partial<Omit<StoredSignal, 'observedAt' | 'lastSeenAt' | 'receivedAt'>> {
  /** Seconds after `START_MS`. */
  readonly atSeconds?: number;
  /** Seconds after `atSeconds`. */
  readonly lastsSeconds?: number;
}

let created = 0;

/** By default an error of `payments` at 08:00 that is received at once. */
export function signal({ atSeconds = 0, lastsSeconds = 0, ...fields }: SignalSpec = {}): StoredSignal {
  created += 1;
  const observedAt = new Date(START_MS + atSeconds * 1_000);
  const id = `sig_${String(created).padStart(8, '0')}`;
  return {
    id,
    type: 'trace',
    service: 'payments',
    summary: 'POST /charge fails',
    severity: 'error',
    fingerprint: id,
    occurrences: 1,
    traceId: null,
    spanId: null,
    attributes: {},
    source: {},
    observedAt,
    lastSeenAt: new Date(observedAt.getTime() + lastsSeconds * 1_000),
    receivedAt: observedAt,
    endedAt: null,
    incidentId: null,
    detail: { type: 'log', body: '' },
    ...fields,
  };
}
