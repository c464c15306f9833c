import { AlertmanagerNotification, readAlerts } from '../ingest/formats/alertmanager/alertmanager.ts';
import { readCloudEvents } from '../ingest/formats/cloudevents/cloud-event.ts';
import type { Webhook } from '../ingest/formats/format.ts';
import { WEBHOOK_FORMATS, type WebhookType } from '../ingest/formats/formats.ts';
import { GenericEvent, GenericEvents, readGenericEvents } from '../ingest/formats/generic/generic-event.ts';
import type { Decode } from '../ingest/incoming-bodies.ts';
import { INGEST_LIMITS } from '../ingest/limits.ts';
import { decodeCloudEvents } from './cloud-events-request.ts';
import { decodeJson, decodeJsonBy, decodeJsonOrForm, FORM_TYPE, thenRead } from './ingest-body.ts';
import type { IngestFormat } from './ingest-format.ts';
import { decodeEntries, type Received, type Taken, takeEntries } from './take-entries.ts';

const OBJECT = { type: 'object' };
const GENERIC_EVENT = { $ref: '#/components/schemas/GenericEvent' };

/** One entry per incoming type. Those that are left out have routes of their own, because their responses differ. */
export const INGEST_FORMATS: Readonly<
  Record<'alertmanager' | 'grafana' | 'cloudevents' | 'generic' | WebhookType, IngestFormat>
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
  ...webhookFormats(),
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

/** Products of which code reads one JSON object. */
function webhookFormats(): Readonly<Record<WebhookType, IngestFormat>> {
  const formats = Object.entries(WEBHOOK_FORMATS).map(([type, { webhook }]) => [type, toIngestFormat(webhook)]);
  return Object.fromEntries(formats);
}

function toIngestFormat({ operationId, what, schema, read, isForm = false, signature }: Webhook): IngestFormat {
  const decodeBody = isForm ? decodeJsonOrForm : decodeJson;
  const form = { schema: { type: 'object', properties: { payload: { type: 'string' } }, required: ['payload'] } };
  return {
    operationId,
    summary: `Send ${what}`,
    content: { 'application/json': { schema: OBJECT }, ...(isForm ? { [FORM_TYPE]: form } : {}) },
    maxBytes: INGEST_LIMITS.eventsBytes,
    decode: (headers, now) => thenRead(decodeBody(schema, headers), (body) => read(body, now)),
    ...(signature && { signature }),
  };
}
