import { z } from 'zod';
import type { Severity } from '../../contract/resources.ts';
import type { ObservedSignal } from '../core/signal.ts';
import type { Attributes, AttributeValue } from '../core/telemetry.ts';
import { fingerprint } from '../core/text.ts';
import { severityNamed, toSignal } from './alert.ts';
import type { IngestBatch } from './otlp-http.ts';

/** A number, or its digits: in a header everything is text. */
const SeverityNumber = z.union([z.int(), z.string().regex(/^\d+$/).transform(Number)]);

/**
 * An event in the JSON format of CloudEvents 1.0, with what is read of it. `null` is the same as absent (JSON event
 * format, 2.1). `severitytext` and `severitynumber` are the documented extension "Severity"; `service` is ours.
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

/** Each event is a signal: an event bus shall send only what is worth an alert. */
export function readCloudEvents(events: readonly CloudEvent[], now: Date): IngestBatch {
  return { signals: events.map((event) => readEvent(event, now)), calls: [] };
}

function readEvent(event: CloudEvent, now: Date): ObservedSignal {
  const { id, source, type, subject, time } = event;
  const data = toAttributes(event.data);
  const texts = [data.summary, data.message, subject].filter((text) => typeof text === 'string');
  const told = texts.find((text) => text.trim() !== '');
  return toSignal({
    services: [event.service, data.service, source],
    summary: told === undefined ? type : `${type}: ${told}`,
    severity: severityOf(event, data),
    observedAt: time ? new Date(time) : now,
    fingerprint: fingerprint('cloudevent', source, type, subject ?? ''),
    // Named as the semantic conventions of OpenTelemetry have it.
    attributes: {
      'cloudevents.event_id': id,
      'cloudevents.event_source': source,
      'cloudevents.event_type': type,
      'cloudevents.event_subject': subject,
      ...data,
    },
    source: { format: 'cloudevents' },
  });
}

/** Data that is no object is kept under its own name. */
function toAttributes(data: unknown): Attributes {
  const value = data as AttributeValue | undefined; // what JSON gives
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Attributes;
  }
  return value === undefined || value === null ? {} : { data: value };
}

/** The number goes by the severity numbers of OpenTelemetry, as the extension says. */
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
