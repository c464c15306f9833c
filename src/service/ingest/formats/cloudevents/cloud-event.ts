import { z } from 'zod';
import type { Severity } from '../../../../contract/resources.ts';
import type { ObservedSignal, SignalBatch } from '../../../core/signal.ts';
import type { Attributes, AttributeValue } from '../../../core/telemetry.ts';
import { fingerprint } from '../../../core/text.ts';
import { severityNamed, toSignal } from '../../alert.ts';
import { MAX_EVENTS } from '../generic/generic-event.ts';

/** A number, or text in a header. */
const SeverityNumber = z.union([z.int(), z.string().regex(/^\d+$/).transform(Number)]);

/**
 * The parts of an event in the JSON format of CloudEvents 1.0 that are used. `null` means absent (JSON event format,
 * 2.1). `severitytext` and `severitynumber` are the documented extension "Severity"; `service` is our extension.
 */
export const CloudEvent = z.object({
  specversion: z.literal('1.0'),
  id: z.string().min(1),
  source: z.string().min(1),
  type: z.string().min(1),
  subject: z.string().nullish(),
  time: z.iso.datetime({ offset: true }).nullish(),
  severitytext: z.string().nullish(),
  severitynumber: SeverityNumber.nullish(),
  service: z.string().nullish(),
  data: z.unknown().optional(),
});
export type CloudEvent = z.infer<typeof CloudEvent>;

/** A batch. Counted before they are checked. */
export const CloudEvents = z.array(z.unknown()).max(MAX_EVENTS).pipe(z.array(CloudEvent));

/** Each event becomes a signal. */
export function readCloudEvents(events: readonly CloudEvent[], now: Date): SignalBatch {
  return { signals: events.map((event) => readEvent(event, now)) };
}

function readEvent(event: CloudEvent, now: Date): ObservedSignal {
  const { id, source, type, subject, time } = event;
  const data = toAttributes(event.data);
  const texts = [data.summary, data.message, subject, event.data].filter((candidate) => typeof candidate === 'string');
  const text = texts.find((candidate) => candidate.trim() !== '');
  return toSignal({
    services: [event.service, data.service],
    labels: data,
    otherwise: { 'the source': source },
    summary: text === undefined ? type : `${type}: ${text}`,
    severity: severityOf(event, data),
    observedAt: time ? new Date(time) : now,
    fingerprint: fingerprint('cloudevent', source, type, subject ?? ''),
    // Names from the semantic conventions of OpenTelemetry.
    attributes: {
      'cloudevents.event_id': id,
      'cloudevents.event_source': source,
      'cloudevents.event_type': type,
      'cloudevents.event_subject': subject,
      ...data,
    },
    reportsEnd: false,
    source: { format: 'cloudevents' },
  });
}

/** Data that is not an object becomes the attribute `data`. */
function toAttributes(data: unknown): Attributes {
  const value = data as AttributeValue | undefined; // what JSON gives
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Attributes;
  }
  return value === undefined || value === null ? {} : { data: value };
}

/** The extension uses the severity numbers of OpenTelemetry. */
function severityOf({ severitynumber, severitytext }: CloudEvent, { severity }: Attributes): Severity {
  if (typeof severitynumber !== 'number') {
    return severityNamed(severitytext ?? severity);
  }
  if (severitynumber >= 21) {
    return 'critical';
  }
  if (severitynumber >= 17) {
    return 'error';
  }
  return severitynumber >= 13 ? 'warning' : 'info';
}
