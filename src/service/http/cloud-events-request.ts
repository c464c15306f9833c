import { z } from 'zod';
import { CloudEvent, CloudEvents } from '../ingest/formats/cloudevents/cloud-event.ts';
import type { Decode } from '../ingest/incoming-bodies.ts';
import { mediaTypeOf } from '../ingest/media-type.ts';
import { decodeJson, thenRead } from './ingest-body.ts';
import { RequestError } from './problem.ts';
import { decodeEntries, type Taken } from './take-entries.ts';
import { checkBody, decodeText, demandText, JSON_TYPE } from './validate.ts';

/**
 * Decodes a request in any content mode of the HTTP protocol binding of CloudEvents 1.0: structured, batched, or binary
 * (attributes in `ce-` headers, data in the body).
 *
 * @throws {RequestError} also from the steps
 */
export function decodeCloudEvents(headers: Headers): Decode<Taken<CloudEvent[]>> {
  const mediaType = mediaTypeOf(headers);
  if (mediaType === 'application/cloudevents-batch+json') {
    return decodeEntries(CloudEvents, headers);
  }
  if (mediaType === 'application/cloudevents+json') {
    return thenRead(decodeJson(CloudEvent, headers), (event) => ({ body: [event], refusal: null }));
  }
  if (headers.has('ce-specversion')) {
    return decodeBinary(headers, mediaType);
  }
  throw new RequestError(
    'unsupported-media-type',
    'send CloudEvents as application/cloudevents+json or application/cloudevents-batch+json, or with ce- headers',
  );
}

function decodeBinary(headers: Headers, mediaType: string): Decode<Taken<CloudEvent[]>> {
  const given = [...headers].filter(([name]) => name.startsWith('ce-'));
  const attributes = Object.fromEntries(given.map(([name, value]) => [name.slice('ce-'.length), decode(value)]));
  const decodeData = chooseData(headers, mediaType);
  return function* (body) {
    return { body: [checkBody(CloudEvent, { ...attributes, data: yield* decodeData(body) })], refusal: null };
  };
}

/** Data that is neither JSON nor text is ignored. */
function chooseData(headers: Headers, mediaType: string): Decode<unknown> {
  if (JSON_TYPE.test(mediaType)) {
    const decodeValue = decodeJson(z.unknown(), headers);
    // SDKs name a content type also where an event has no data.
    return function* (body) {
      return body.byteLength === 0 ? undefined : yield* decodeValue(body);
    };
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
