import type { IncomingType } from '../../contract/integrations.ts';
import { AlertmanagerNotification, readAlerts } from '../ingest/alertmanager.ts';
import { readCloudEvents } from '../ingest/cloud-event.ts';
import { GenericEvent, GenericEvents, readGenericEvents } from '../ingest/generic-event.ts';
import type { Decode } from '../ingest/incoming-bodies.ts';
import { INGEST_LIMITS } from '../ingest/limits.ts';
import { decodeCloudEvents } from './cloud-events-request.ts';
import { decodeJsonBy, thenRead } from './ingest-body.ts';
import type { SignatureScheme } from './signed-body.ts';
import { decodeEntries, type Received, type Taken, takeEntries } from './take-entries.ts';
import { VENDOR_FORMATS } from './vendor-formats.ts';

/** How one type of integration sends signals. */
export interface IngestFormat {
  readonly operationId: string;
  readonly summary: string;
  /** The request's content in OpenAPI. */
  readonly content: Readonly<Record<string, object>>;
  readonly maxBytes: number;
  /** @throws {RequestError} also from the steps */
  readonly decode: (headers: Headers, now: Date) => Decode<Received>;
  /** How its sender signs bodies; absent: it does not. */
  readonly signature?: SignatureScheme;
}

const OBJECT = { type: 'object' };
const GENERIC_EVENT = { $ref: '#/components/schemas/GenericEvent' };

/** One entry per incoming type. Those that are left out have routes of their own, because their responses differ. */
export const INGEST_FORMATS: Readonly<
  Record<
    Exclude<
      IncomingType,
      'otlp' | 'pagerduty_events' | 'prometheus' | 'opsgenie' | 'oncall' | 'json' | 'heartbeat' | 'sns'
    >,
    IngestFormat
  >
> = {
  alertmanager: {
    operationId: 'sendAlerts',
    summary: "Send alerts by Alertmanager's webhook, version 4",
    content: { 'application/json': { schema: OBJECT } },
    maxBytes: INGEST_LIMITS.alertmanagerBytes, // a group of thousands of alerts is one request
    decode: decodeAlerts,
  },
  grafana: {
    operationId: 'sendGrafanaAlerts',
    summary: 'Send alerts by a contact point of Grafana of type webhook, version 1',
    content: { 'application/json': { schema: OBJECT } },
    maxBytes: INGEST_LIMITS.alertmanagerBytes,
    decode: decodeAlerts,
  },
  cloudevents: {
    operationId: 'sendCloudEvents',
    summary: 'Send CloudEvents 1.0, structured, batched or binary',
    content: {
      'application/cloudevents+json': { schema: OBJECT },
      'application/cloudevents-batch+json': { schema: { type: 'array', items: OBJECT } },
      '*/*': {},
    },
    maxBytes: INGEST_LIMITS.eventsBytes,
    decode: (headers, now) =>
      thenRead(decodeCloudEvents(headers), ({ body, refusal }) => ({ ...readCloudEvents(body, now), refusal })),
  },
  generic: {
    operationId: 'sendEvents',
    summary: 'Send one event or a list of events',
    content: { 'application/json': { schema: { oneOf: [GENERIC_EVENT, { type: 'array', items: GENERIC_EVENT }] } } },
    maxBytes: INGEST_LIMITS.eventsBytes,
    decode: (headers, now) =>
      thenRead(decodeJsonBy(headers, takeGenericEvents), ({ body, refusal }) => ({
        ...readGenericEvents(body, now),
        refusal,
      })),
  },
  ...VENDOR_FORMATS,
};

/** Decodes alerts of Alertmanager or Grafana. */
export function decodeAlerts(headers: Headers): Decode<Received> {
  const decode = decodeEntries(AlertmanagerNotification, headers, 'alerts');
  return thenRead(decode, ({ body, refusal }) => ({ ...readAlerts(body), refusal }));
}

/** @throws {RequestError} */
function takeGenericEvents(body: unknown): Taken<GenericEvent[]> {
  if (Array.isArray(body)) {
    return takeEntries(GenericEvents, body);
  }
  const { body: event, refusal } = takeEntries(GenericEvent, body);
  return { body: [event], refusal };
}
