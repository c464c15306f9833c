import { z } from 'zod';
import type { IncomingType } from '../../contract/requests.ts';
import type { SignalBatch } from '../core/signal.ts';
import { AlertmanagerNotification, readAlerts } from '../ingest/alertmanager.ts';
import { readCloudEvents } from '../ingest/cloud-event.ts';
import { GenericEvent, GenericEvents, readGenericEvents } from '../ingest/generic-event.ts';
import { parseCloudEvents } from './cloud-events-request.ts';
import { checkBody, parseBody } from './validate.ts';

/** How one type of integration sends signals. */
interface IngestFormat {
  readonly operationId: string;
  readonly summary: string;
  /** The request's content in OpenAPI. */
  readonly content: Readonly<Record<string, object>>;
  readonly maxBytes: number;
  /** @throws {RequestError} */
  readonly read: (request: Request, now: Date) => Promise<SignalBatch>;
}

const MIB = 1024 * 1024;
const OBJECT = { type: 'object' };
const GENERIC_EVENT = { $ref: '#/components/schemas/GenericEvent' };

/** One entry per incoming type. OTLP and PagerDuty have routes of their own, because their responses differ. */
export const INGEST_FORMATS: Readonly<Record<Exclude<IncomingType, 'otlp' | 'pagerduty_events'>, IngestFormat>> = {
  alertmanager: {
    operationId: 'sendAlerts',
    summary: "Send alerts by Alertmanager's webhook, version 4",
    content: { 'application/json': { schema: OBJECT } },
    maxBytes: 16 * MIB, // a group of thousands of alerts is one request
    read: async (request) => readAlerts(await parseBody(AlertmanagerNotification, request)),
  },
  cloudevents: {
    operationId: 'sendCloudEvents',
    summary: 'Send CloudEvents 1.0, structured, batched or binary',
    content: {
      'application/cloudevents+json': { schema: OBJECT },
      'application/cloudevents-batch+json': { schema: { type: 'array', items: OBJECT } },
      '*/*': {},
    },
    maxBytes: MIB,
    read: async (request, now) => readCloudEvents(await parseCloudEvents(request), now),
  },
  generic: {
    operationId: 'sendEvents',
    summary: 'Send one event or a list of events',
    content: { 'application/json': { schema: { oneOf: [GENERIC_EVENT, { type: 'array', items: GENERIC_EVENT }] } } },
    maxBytes: MIB,
    read: async (request, now) => readGenericEvents(await parseGenericEvents(request), now),
  },
};

/** @throws {RequestError} */
async function parseGenericEvents(request: Request): Promise<GenericEvent[]> {
  const body = await parseBody(z.unknown(), request);
  return Array.isArray(body) ? checkBody(GenericEvents, body) : [checkBody(GenericEvent, body)];
}
