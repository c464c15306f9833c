import { z } from 'zod';
import type { Entries, EntriesShape, Webhook } from '../ingest/formats/format.ts';
import { ENTRIES_FORMATS, type EntriesType, WEBHOOK_FORMATS, type WebhookType } from '../ingest/formats/formats.ts';
import type { Decode } from '../ingest/incoming-bodies.ts';
import { INGEST_LIMITS } from '../ingest/limits.ts';
import { mediaTypeOf } from '../ingest/media-type.ts';
import { decodeJson, decodeJsonBy, decodeJsonOrForm, FORM_TYPE, thenRead } from './ingest-body.ts';
import type { IngestFormat } from './ingest-format.ts';
import { RequestError } from './problem.ts';
import { type Taken, takeEntries } from './take-entries.ts';
import { checkBody, decodeText, demandText, JSON_TYPE } from './validate.ts';

const OBJECT = { type: 'object' };

/** One entry per incoming type. Those that are left out have routes of their own, because their responses differ. */
export const INGEST_FORMATS = Object.fromEntries([
  ...Object.entries(ENTRIES_FORMATS).map(([type, { entries }]) => [type, ofEntries(entries)]),
  ...Object.entries(WEBHOOK_FORMATS).map(([type, { webhook }]) => [type, ofWebhook(webhook)]),
]) as Readonly<Record<EntriesType | WebhookType, IngestFormat>>; // one for each format

/** A list of entries, or one. */
function ofEntries({ operationId, what, content, maxBytes, shapeOf, read }: Entries): IngestFormat {
  return {
    operationId,
    summary: `Send ${what}`,
    content,
    maxBytes,
    decode: (headers, now) =>
      thenRead(decodeEntries(shapeOf(headers), headers), ({ body, refusal }) => ({ ...read(body, now), refusal })),
  };
}

/** @throws {RequestError} also from the steps */
function decodeEntries(shape: EntriesShape | string, headers: Headers): Decode<Taken<unknown>> {
  if (typeof shape === 'string') {
    throw new RequestError('unsupported-media-type', shape);
  }
  if ('fields' in shape) {
    const decodeData = dataOf(headers);
    return function* (body) {
      const entry = { ...shape.fields, data: yield* decodeData(body) };
      return { body: [checkBody(shape.one, entry)], refusal: null };
    };
  }
  return decodeJsonBy(headers, (value): Taken<unknown> => {
    if ('member' in shape) {
      return takeEntries(shape.list, value, shape.member ?? undefined);
    }
    if ('list' in shape && Array.isArray(value)) {
      return takeEntries(shape.list, value);
    }
    const { body, refusal } = takeEntries(shape.one, value);
    return { body: [body], refusal };
  });
}

/** Data that is neither JSON nor text is ignored. */
function dataOf(headers: Headers): Decode<unknown> {
  const mediaType = mediaTypeOf(headers);
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

/** A product of which code reads one JSON object. */
function ofWebhook({ operationId, what, schema, read, isForm = false, signature }: Webhook): IngestFormat {
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
