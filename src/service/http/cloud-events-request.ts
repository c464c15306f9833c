import { z } from 'zod';
import { CloudEvent } from '../ingest/cloud-event.ts';
import { MAX_EVENTS } from '../ingest/generic-event.ts';
import { RequestError } from './problem.ts';
import { checkBody, JSON_TYPE, mediaTypeOf, parseBody, readText } from './validate.ts';

const CloudEvents = z.array(CloudEvent).max(MAX_EVENTS);

/**
 * Parses a request in any content mode of the HTTP protocol binding of CloudEvents 1.0: structured, batched, or binary
 * (attributes in `ce-` headers, data in the body).
 *
 * @param request the caller has limited its size
 * @throws {RequestError}
 */
export async function parseCloudEvents(request: Request): Promise<CloudEvent[]> {
  const mediaType = mediaTypeOf(request);
  if (mediaType === 'application/cloudevents-batch+json') {
    return parseBody(CloudEvents, request);
  }
  if (mediaType === 'application/cloudevents+json') {
    return [await parseBody(CloudEvent, request)];
  }
  if (request.headers.has('ce-specversion')) {
    return [await parseBinary(request, mediaType)];
  }
  throw new RequestError(
    'unsupported-media-type',
    'send CloudEvents as application/cloudevents+json or application/cloudevents-batch+json, or with ce- headers',
  );
}

async function parseBinary(request: Request, mediaType: string): Promise<CloudEvent> {
  const headers = [...request.headers].filter(([name]) => name.startsWith('ce-'));
  const attributes = Object.fromEntries(headers.map(([name, value]) => [name.slice('ce-'.length), decode(value)]));
  return checkBody(CloudEvent, { ...attributes, data: await readData(request, mediaType) });
}

/** Data that is neither JSON nor text is ignored. */
async function readData(request: Request, mediaType: string): Promise<unknown> {
  if (JSON_TYPE.test(mediaType)) {
    return parseBody(z.unknown(), request);
  }
  const text = await readText(request);
  return mediaType.startsWith('text/') ? text : undefined;
}

/** Header values are percent-encoded (HTTP protocol binding, 3.1.3.2). */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
