import { z } from 'zod';
import { CloudEvent } from '../ingest/cloud-event.ts';
import { MAX_EVENTS } from '../ingest/generic-event.ts';
import type { Decode } from '../ingest/incoming-bodies.ts';
import { mediaTypeOf } from '../ingest/media-type.ts';
import { decodeJson } from './ingest-body.ts';
import { RequestError } from './problem.ts';
import { checkBody, decodeText, demandText, JSON_TYPE } from './validate.ts';

/** Counted before they are checked. */
const CloudEvents = z.array(z.unknown()).max(MAX_EVENTS).pipe(z.array(CloudEvent));

/**
 * Decodes a request in any content mode of the HTTP protocol binding of CloudEvents 1.0: structured, batched, or binary
 * (attributes in `ce-` headers, data in the body).
 *
 * @throws {RequestError} also from the steps
 */
export function decodeCloudEvents(headers: Headers): Decode<CloudEvent[]> {
  const mediaType = mediaTypeOf(headers);
  if (mediaType === 'application/cloudevents-batch+json') {
    return decodeJson(CloudEvents, headers);
  }
  if (mediaType === 'application/cloudevents+json') {
    const decodeEvent = decodeJson(CloudEvent, headers);
    return function* (body) {
      return [yield* decodeEvent(body)];
    };
  }
  if (headers.has('ce-specversion')) {
    return decodeBinary(headers, mediaType);
  }
  throw new RequestError(
    'unsupported-media-type',
    'send CloudEvents as application/cloudevents+json or application/cloudevents-batch+json, or with ce- headers',
  );
}

function decodeBinary(headers: Headers, mediaType: string): Decode<CloudEvent[]> {
  const given = [...headers].filter(([name]) => name.startsWith('ce-'));
  const attributes = Object.fromEntries(given.map(([name, value]) => [name.slice('ce-'.length), decode(value)]));
  const decodeData = chooseData(headers, mediaType);
  return function* (body) {
    return [checkBody(CloudEvent, { ...attributes, data: yield* decodeData(body) })];
  };
}

/** Data that is neither JSON nor text is ignored. */
function chooseData(headers: Headers, mediaType: string): Decode<unknown> {
  if (JSON_TYPE.test(mediaType)) {
    return decodeJson(z.unknown(), headers);
  }
  demandText(headers);
  return function* (body) {
    yield;
    return mediaType.startsWith('text/') ? decodeText(body) : undefined;
  };
}

/** Header values are percent-encoded (HTTP protocol binding, 3.1.3.2). */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
