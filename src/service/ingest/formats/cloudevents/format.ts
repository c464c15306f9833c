import { INGEST_LIMITS } from '../../limits.ts';
import { mediaTypeOf } from '../../media-type.ts';
import { curl } from '../curl.ts';
import type { EntriesFormat, EntriesShape } from '../format.ts';
import { CloudEvent, CloudEvents, readCloudEvents } from './cloud-event.ts';

const ONE = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';
const OBJECT = { type: 'object' };

export const CLOUDEVENTS = {
  words: 'CloudEvents',
  setUp: ({ url, key }) => [{ title: 'Try it', text: curl(url, key, ONE, SAMPLE) }],
  entries: {
    operationId: 'sendCloudEvents',
    what: 'CloudEvents 1.0, structured, batched or binary',
    content: { [ONE]: { schema: OBJECT }, [BATCH]: { schema: { type: 'array', items: OBJECT } }, '*/*': {} },
    maxBytes: INGEST_LIMITS.eventsBytes,
    shapeOf,
    read: (events, now) => readCloudEvents(events as CloudEvent[], now), // what the schemas give
  },
} satisfies EntriesFormat;

/** Any content mode of the HTTP protocol binding of CloudEvents 1.0. */
function shapeOf(headers: Headers): EntriesShape | string {
  const mediaType = mediaTypeOf(headers);
  if (mediaType === BATCH) {
    return { list: CloudEvents, member: null };
  }
  if (mediaType === ONE) {
    return { one: CloudEvent };
  }
  if (!headers.has('ce-specversion')) {
    return `send CloudEvents as ${ONE} or ${BATCH}, or with ce- headers`;
  }
  const given = [...headers].filter(([name]) => name.startsWith('ce-'));
  const fields = Object.fromEntries(given.map(([name, value]) => [name.slice('ce-'.length), decode(value)]));
  return { one: CloudEvent, fields };
}

/** Header values are percent-encoded (HTTP protocol binding, 3.1.3.2). */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const SAMPLE = {
  specversion: '1.0',
  id: '1',
  source: '/my-service',
  type: 'test.failed',
  service: 'my-service',
  data: { summary: 'a test of Tocsin' },
};
