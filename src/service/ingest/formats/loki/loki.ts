import { PbfReader } from 'pbf';
import type { Attributes, LogRecord } from '../../../core/telemetry.ts';
import {
  createAttributeList,
  createCollector,
  type Decoding,
  MalformedMessageError,
  setAttribute,
} from '../../decoded.ts';
import { elements, expectEnd, members, openJson, readOutline, readSmallValue } from '../../json-cursor.ts';
import { fieldsOf, textIn } from '../../json-value.ts';
import { INGEST_LIMITS } from '../../limits.ts';
import { mediaTypeOf } from '../../media-type.ts';
import { fieldNumbers, lengthOf, readBytes, readSmallInt, readText, readWholeMessage } from '../../protobuf-message.ts';
import { nanosOf, type PushFormat, toPushedRecord } from '../../push/push-format.ts';
import { unsnap } from '../../push/snappy.ts';

/** Loki's push API (grafana/loki, `pkg/push/push.proto` and "Ingest logs" of its HTTP API), as JSON or protobuf in Snappy. */
export const LOKI: PushFormat = {
  words: "Loki's push API (Promtail, Alloy, Fluent Bit, Vector)",
  addresses: [''],
  decoderFor: ({ headers }) => ({
    kind: 'logs',
    decode: mediaTypeOf(headers) === 'application/json' ? decodeJson : decodeProtobuf,
    answer: () => new Response(null, { status: 204 }),
  }),
  setUp: ({ url, key }) => [
    {
      title: 'Promtail: YAML',
      text: `clients:\n  - url: ${url}\n    bearer_token: ${key}\n`,
    },
    {
      title: 'Alloy',
      text: `loki.write "tocsin" {\n  endpoint {\n    url          = "${url}"\n    bearer_token = "${key}"\n  }\n}\n`,
    },
    {
      title: 'Try it',
      text: `curl -X POST ${url} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\\n  -d '{"streams": [{"stream": {"app": "my-service"}, "values": [["'$(date +%s)000000000'", "level=error msg=\\"a test of Tocsin\\""]]}]}'\n`,
    },
  ],
};

function* decodeJson(body: Uint8Array): Decoding<LogRecord> {
  const into = createCollector<LogRecord>();
  const request = openJson(body);
  let isKnown = false;
  for (const key of members(request)) {
    isKnown ||= key === 'streams';
    for (const _ of key === 'streams' ? elements(request) : []) {
      into.count('resources');
      const { fields, located } = readOutline(request, (name) => name === 'values');
      const labels = textsIn(fields.stream);
      for (const { value: values } of located) {
        for (const _value of elements(values)) {
          into.count('items');
          const start = values.at;
          const value = readSmallValue(values);
          if (value === undefined) {
            into.addTooLarge();
          } else {
            into.add(toRecord(labels, value), () => value);
          }
          yield* into.pauseAfter(values.at - start);
        }
      }
    }
  }
  expectEnd(request);
  if (!isKnown) {
    throw new MalformedMessageError('it has no "streams"');
  }
  return into.decoded;
}

/** `[time, line, metadata]` */
function toRecord(labels: Attributes, value: unknown): LogRecord | null {
  const [time, line, metadata] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return typeof line !== 'string'
    ? null
    : toPushedRecord({ timeNanos: nanosOf(time), body: line, attributes: { ...labels, ...textsIn(metadata) } });
}

function textsIn(value: unknown): Attributes {
  const list = createAttributeList();
  for (const [name, text] of Object.entries(fieldsOf(value))) {
    setAttribute(list, name, textIn(text));
  }
  return list.values;
}

/** `PushRequest`: streams (1) with labels (1) as text and entries (2): time (1), line (2), metadata (3). */
function* decodeProtobuf(body: Uint8Array): Decoding<LogRecord> {
  const into = createCollector<LogRecord>();
  const request = new PbfReader(unsnap(body, INGEST_LIMITS.otlpBytes));
  yield;
  for (const tag of fieldNumbers(request)) {
    if (tag === 1) {
      into.count('resources');
      const stream = new PbfReader(readBytes(request));
      let labels: Attributes = {};
      for (const streamTag of fieldNumbers(stream)) {
        if (streamTag === 1) {
          labels = labelsIn(readText(stream));
        } else if (streamTag === 2) {
          into.count('items');
          const bytes = lengthOf(stream);
          if (bytes > INGEST_LIMITS.itemBytes) {
            into.addTooLarge();
          } else {
            into.add(readEntry(readBytes(stream), labels), () => labels);
          }
          yield* into.pauseAfter(bytes);
        }
      }
    }
  }
  return into.decoded;
}

function readEntry(bytes: Uint8Array, labels: Attributes): LogRecord {
  const pbf = new PbfReader(bytes);
  const metadata = createAttributeList();
  let [line, timeNanos] = ['', 0n];
  readWholeMessage(pbf, (tag) => {
    if (tag === 1) timeNanos = readTimestamp(readBytes(pbf));
    else if (tag === 2) line = readText(pbf);
    else if (tag === 3) {
      let [name, value] = ['', ''];
      const pair = new PbfReader(readBytes(pbf));
      readWholeMessage(pair, (own) => {
        if (own === 1) name = readText(pair);
        else if (own === 2) value = readText(pair);
      });
      setAttribute(metadata, name, value);
    }
  });
  return toPushedRecord({ timeNanos, body: line, attributes: { ...labels, ...metadata.values } });
}

function readTimestamp(bytes: Uint8Array): bigint {
  const pbf = new PbfReader(bytes);
  let [seconds, nanos] = [0, 0];
  readWholeMessage(pbf, (tag) => {
    if (tag === 1) seconds = readSmallInt(pbf);
    else if (tag === 2) nanos = readSmallInt(pbf);
  });
  return seconds > 0 && Number.isSafeInteger(seconds) ? BigInt(seconds) * 1_000_000_000n + BigInt(nanos) : 0n;
}

/** `{app="shop", pod="a\"b"}` */
const LABEL = /([A-Za-z_][\w]*)="((?:[^"\\]|\\.)*)"/g;

function labelsIn(text: string): Attributes {
  const list = createAttributeList();
  for (const [, name = '', value = ''] of text.matchAll(LABEL)) {
    setAttribute(
      list,
      name,
      value.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign)),
    );
  }
  return list.values;
}
