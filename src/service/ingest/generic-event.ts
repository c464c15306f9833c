import { z } from 'zod';
import { Severity, Timestamp } from '../../contract/resources.ts';
import type { ObservedSignal, SignalBatch } from '../core/signal.ts';
import type { Attributes } from '../core/telemetry.ts';
import type { LogItem } from '../core/telemetry-item.ts';
import { clip, fingerprint, TEXT_LIMITS, template } from '../core/text.ts';
import { toSignal } from './alert.ts';

/** Maximum number of events in a request. */
export const MAX_EVENTS = 1_000;

/** A simple format for senders that support no other. */
export const GenericEvent = z.object({
  /** The failing service: the OpenTelemetry `service.name`, if there is one. */
  service: z.string().trim().min(1).max(TEXT_LIMITS.service),
  /** One line of text. */
  summary: z.string().trim().min(1),
  severity: Severity.default('error'),
  /** `metric`: an alert, which opens an incident by itself. `log`: one of many lines. Traces are sent by OTLP. */
  type: z.enum(['metric', 'log']).default('metric'),
  /** Absent: now. */
  observed_at: Timestamp.optional(),
  attributes: z.record(z.string(), z.unknown()).default({}),
  /** Events of a service with the same key are the same failure. Absent: the summary decides, without numbers and ids. */
  dedup_key: z.string().min(1).max(255).optional(),
});
export type GenericEvent = z.infer<typeof GenericEvent>;

/** Counted before they are checked. */
export const GenericEvents = z.array(z.unknown()).min(1).max(MAX_EVENTS).pipe(z.array(GenericEvent));

export function readGenericEvents(events: readonly GenericEvent[], now: Date): SignalBatch {
  const signals = events.map((event) => readEvent(event, now));
  return { signals, telemetry: signals.flatMap((signal) => toLogItem(signal) ?? []) };
}

function readEvent(event: GenericEvent, now: Date): ObservedSignal {
  const { service, summary, severity, type, observed_at, attributes, dedup_key } = event;
  const signal = toSignal({
    services: [service],
    summary,
    severity,
    observedAt: observed_at === undefined ? now : new Date(observed_at),
    fingerprint: fingerprint('generic', type, service, dedup_key ?? template(summary)),
    attributes: attributes as Attributes, // what JSON gives
    reportsEnd: false,
    source: { format: 'generic' },
  });
  return type === 'metric' ? signal : { ...signal, type, detail: { type, body: clip(summary, TEXT_LIMITS.body) } };
}

/** @returns null: the event is an alert */
function toLogItem({ detail, service, observedAt, severity, fingerprint: signal }: ObservedSignal): LogItem | null {
  if (detail.type !== 'log') {
    return null;
  }
  const about = { service, at: observedAt.getTime(), severity, text: detail.body } as const;
  return { kind: 'log', ...about, traceId: null, spanId: null, signal };
}
