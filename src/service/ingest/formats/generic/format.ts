import { INGEST_LIMITS } from '../../limits.ts';
import { curl } from '../curl.ts';
import type { EntriesFormat } from '../format.ts';
import { GenericEvent, GenericEvents, readGenericEvents } from './generic-event.ts';

const EVENT = { $ref: '#/components/schemas/GenericEvent' };

export const GENERIC = {
  words: 'Your own script (JSON)',
  setUp: ({ url, key }) => [{ title: 'Try it', text: curl(url, key, 'application/json', SAMPLE) }],
  entries: {
    operationId: 'sendEvents',
    what: 'one event or a list of events',
    content: { 'application/json': { schema: { oneOf: [EVENT, { type: 'array', items: EVENT }] } } },
    maxBytes: INGEST_LIMITS.eventsBytes,
    shapeOf: () => ({ list: GenericEvents, one: GenericEvent }),
    read: (events, now) => readGenericEvents(events as GenericEvent[], now), // what the schemas give
  },
} satisfies EntriesFormat;

const SAMPLE = { service: 'my-service', summary: 'a test of Tocsin', severity: 'warning' };
