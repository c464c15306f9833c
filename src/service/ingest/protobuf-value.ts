import type { PbfReader } from 'pbf';
import type { AttributeValue } from '../core/telemetry.ts';
import { type AttributeList, createAttributeList, MalformedMessageError, setAttribute } from './decoded.ts';
import { INGEST_LIMITS } from './limits.ts';
import { readBytes, readDouble, readInt64, readMessage, readSmallInt, readText } from './protobuf-message.ts';

/** Reads the current `KeyValue`. @throws {MalformedMessageError} */
export function readAttribute(pbf: PbfReader, attributes: AttributeList, depth = 0): void {
  let key = '';
  let value: AttributeValue = null;
  readMessage(pbf, (tag) => {
    if (tag === 1) key = readText(pbf);
    else if (tag === 2) value = readValue(pbf, depth);
  });
  setAttribute(attributes, key, value);
}

/** Reads the current `AnyValue`. @throws {MalformedMessageError} */
export function readValue(pbf: PbfReader, depth: number): AttributeValue {
  if (depth > INGEST_LIMITS.valueDepth) {
    throw new MalformedMessageError(`a value is nested deeper than ${INGEST_LIMITS.valueDepth} levels`);
  }
  let value: AttributeValue = null;
  readMessage(pbf, (tag) => {
    if (tag === 1) value = readText(pbf);
    else if (tag === 2) value = readSmallInt(pbf) !== 0;
    else if (tag === 3) value = readInt64(pbf);
    else if (tag === 4) value = readDouble(pbf);
    else if (tag === 5) value = readList(pbf, depth);
    else if (tag === 6) value = readRecord(pbf, depth);
    else if (tag === 7) value = Buffer.from(readBytes(pbf)).toString('base64');
  });
  return value;
}

function readList(pbf: PbfReader, depth: number): AttributeValue {
  const list: AttributeValue[] = [];
  readMessage(
    pbf,
    (tag) => tag === 1 && list.length < INGEST_LIMITS.attributes && list.push(readValue(pbf, depth + 1)),
  );
  return list;
}

function readRecord(pbf: PbfReader, depth: number): AttributeValue {
  const attributes = createAttributeList();
  readMessage(pbf, (tag) => tag === 1 && readAttribute(pbf, attributes, depth + 1));
  return attributes.values;
}
