import { z } from 'zod';
import { Severity } from '../../../../contract/resources.ts';
import { Timestamp } from '../../../../contract/values.ts';
import type { ObservedSignal, SignalBatch } from '../../../core/signal.ts';
import type { Attributes } from '../../../core/telemetry.ts';
import type { ChangeItem, LogItem } from '../../../core/telemetry-item.ts';
import { clip, fingerprint, oneLine, TEXT_LIMITS, template } from '../../../core/text.ts';
import { toSignal } from '../../alert.ts';
import type { MappedReading } from '../../mapping/mapped-event.ts';
import { readState } from '../../mapping/read-state.ts';
import { settle } from '../../mapping/settle.ts';

/** Maximum number of events in a request. */
export const MAX_EVENTS = 1_000;

/** Characters of a version that are shown. */
const CHANGE_LIMIT = 100;

/** A simple format for senders that support no other. */
export const GenericEvent = z.object({
  /** The failing service: the OpenTelemetry `service.name`, if there is one. */
  service: z.string().trim().min(1).max(TEXT_LIMITS.service),
  /** One line of text. */
  summary: z.string().trim().min(1),
  severity: Severity.default('error'),
  /**
   * `metric`: an alert, which opens an incident by itself. `log`: one of many lines. `deploy`: the service was deployed,
   * and `summary` is its version; it is no signal. Traces are sent by OTLP.
   */
  type: z.enum(['metric', 'log', 'deploy']).default('metric'),
  /** Absent: now. */
  observed_at: Timestamp.optional(),
  attributes: z.record(z.string(), z.unknown()).default({}),
  /** Events of a service with the same key are the same failure. Absent: the summary decides, without numbers and ids. */
  dedup_key: z.string().min(1).max(255).optional(),
  /**
   * What became of an alert, in words: `resolved`, `ok` and their like end the failure with the same key; `test` and its like are
   * nothing, and all others fail. Absent: it fails, and its sender tells no end.
   */
  status: z.string().trim().min(1).max(100).optional(),
});
export type GenericEvent = z.infer<typeof GenericEvent>;

/** Counted before they are checked. */
export const GenericEvents = z.array(z.unknown()).min(1).max(MAX_EVENTS).pipe(z.array(GenericEvent));

export function readGenericEvents(events: readonly GenericEvent[], now: Date): SignalBatch {
  const readings = events.flatMap((event) => (event.type === 'deploy' ? [] : [readEvent(event, now)]));
  const changes = events.flatMap((event) => (event.type === 'deploy' ? [toChangeItem(event, now)] : []));
  const { batch } = settle(readings, new Map(), now);
  return { ...batch, telemetry: [...batch.signals.flatMap((signal) => toLogItem(signal) ?? []), ...changes] };
}

function readEvent(event: GenericEvent, now: Date): MappedReading {
  const { type, status } = event;
  const said = type === 'log' || status === undefined ? 'fails' : readState(status, 'status');
  if (said === 'over') {
    return { kind: said, fingerprint: fingerprintOf(event), user: null, note: null };
  }
  return said === 'ignored' ? { kind: said } : { kind: 'fails', signal: toObserved(event, now), word: null };
}

function timeOf({ observed_at }: GenericEvent, now: Date): Date {
  return observed_at === undefined ? now : new Date(observed_at);
}

function fingerprintOf({ type, service, summary, dedup_key }: GenericEvent): string {
  return fingerprint('generic', type, service, dedup_key ?? template(summary));
}

function toChangeItem(event: GenericEvent, now: Date): ChangeItem {
  const { service, summary } = event;
  return { kind: 'change', service, at: timeOf(event, now).getTime(), subject: oneLine(summary, CHANGE_LIMIT) };
}

function toObserved(event: GenericEvent, now: Date): ObservedSignal {
  const { type, service, summary, severity, attributes, status } = event;
  const signal = toSignal({
    services: [service],
    summary,
    severity,
    observedAt: timeOf(event, now),
    fingerprint: fingerprintOf(event),
    attributes: attributes as Attributes, // what JSON gives
    reportsEnd: status !== undefined,
    source: { format: 'generic' },
  });
  return type === 'log' ? { ...signal, type, detail: { type, body: clip(summary, TEXT_LIMITS.body) } } : signal;
}

/** @returns null: the event is an alert */
function toLogItem({ detail, service, observedAt, severity, fingerprint: signal }: ObservedSignal): LogItem | null {
  if (detail.type !== 'log') {
    return null;
  }
  const about = { service, at: observedAt.getTime(), severity, text: detail.body } as const;
  return { kind: 'log', ...about, traceId: null, spanId: null, signal };
}
