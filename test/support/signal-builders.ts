import fc from 'fast-check';
import type { ServiceCall, StoredSignal } from '../../src/service/core/signal.ts';

/** Builders for signals and calls. */

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

/** Ten calls. */
export function calls(from: string, to: string, errors = 0): ServiceCall[] {
  return [{ from, to, calls: 10, errors }];
}

const serviceName = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');

/** Signals and calls of a few services within some minutes. */
export function anySignals({ minLength }: { minLength: number }) {
  const spec = fc.record({
    service: serviceName,
    type: fc.constantFrom('trace', 'metric', 'log'),
    severity: fc.constantFrom('critical', 'error', 'warning'),
    atSeconds: fc.integer({ min: 0, max: 1_500 }),
    lastsSeconds: fc.integer({ min: 0, max: 300 }),
    occurrences: fc.integer({ min: 1, max: 5 }),
    traceId: fc.constantFrom(null, 't1', 't2'),
    attributes: fc.oneof(fc.constant({}), fc.record({ 'peer.service': serviceName })),
  });
  const call = fc.record({
    from: serviceName,
    to: serviceName,
    calls: fc.integer({ min: 1, max: 9 }),
    errors: fc.constantFrom(0, 0, 1),
  });
  return fc.record({
    signals: fc.array(spec, { minLength, maxLength: 25 }).map((specs) => specs.map(signal)),
    graph: fc.array(call, { maxLength: 10 }),
  });
}
