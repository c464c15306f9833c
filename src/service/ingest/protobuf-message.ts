import type { PbfReader } from 'pbf';
import { MalformedMessageError } from './decoded.ts';

/** Protobuf wire types that OTLP uses. */
const WIRE = { varint: 0, fixed64: 1, bytes: 2 } as const;

/**
 * Calls `readField` for each field of the embedded message; fields that it does not read are skipped. Unlike `pbf`, it
 * refuses a message that ends in the middle of a field.
 *
 * @throws {MalformedMessageError}
 */
export function readMessage(pbf: PbfReader, readField: (tag: number) => void): void {
  expectWire(pbf, WIRE.bytes);
  const end = pbf.readVarint() + pbf.pos;
  readFieldsUpTo(pbf, end, readField);
}

/** The same for the whole message of `pbf`. */
export function readWholeMessage(pbf: PbfReader, readField: (tag: number) => void): void {
  readFieldsUpTo(pbf, pbf.length, readField);
}

/**
 * Steps through the fields of the whole message of `pbf`; fields that the caller does not read are skipped.
 *
 * @throws {MalformedMessageError}
 */
export function* fieldNumbers(pbf: PbfReader): Generator<number> {
  for (let tag = pbf.nextField(); tag !== 0; tag = pbf.nextField()) {
    yield tag;
  }
  expectEndAt(pbf, pbf.length);
}

/**
 * Length of the current field's value, which has not been read; 0 for a number.
 *
 * @throws {MalformedMessageError} when it is longer than the message
 */
export function lengthOf(pbf: PbfReader): number {
  if (pbf.type !== WIRE.bytes) {
    return 0;
  }
  const start = pbf.pos;
  const length = pbf.readVarint();
  if (length > pbf.length - pbf.pos) {
    throw new MalformedMessageError('a field is longer than its message');
  }
  pbf.pos = start;
  return length;
}

function readFieldsUpTo(pbf: PbfReader, end: number, readField: (tag: number) => void): void {
  if (end > pbf.length) {
    throw new MalformedMessageError('a field is longer than its message');
  }
  pbf.readFields(readField, undefined, end);
  expectEndAt(pbf, end);
}

function expectEndAt(pbf: PbfReader, end: number): void {
  if (pbf.pos !== end) {
    throw new MalformedMessageError('a message ends in the middle of a field');
  }
}

export function readBytes(pbf: PbfReader): Uint8Array {
  expectWire(pbf, WIRE.bytes);
  const end = pbf.readVarint() + pbf.pos;
  if (end > pbf.length) {
    throw new MalformedMessageError('a field is longer than its message');
  }
  const bytes = pbf.buf.subarray(pbf.pos, end);
  pbf.pos = end;
  return bytes;
}

export function readText(pbf: PbfReader): string {
  expectWire(pbf, WIRE.bytes);
  return pbf.readString();
}

export function readHex(pbf: PbfReader): string {
  const bytes = readBytes(pbf);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** An enum, a bool or a small integer. */
export function readSmallInt(pbf: PbfReader): number {
  expectWire(pbf, WIRE.varint);
  return pbf.readVarint();
}

/** An `int64`; decimal text beyond the safe range of a Number. */
export function readInt64(pbf: PbfReader): number | string {
  expectWire(pbf, WIRE.varint);
  const start = pbf.pos;
  const value = pbf.readVarint(true);
  if (Number.isSafeInteger(value)) {
    return value;
  }
  const bytes = pbf.buf.subarray(start, pbf.pos);
  const bits = bytes.reduce((sum, byte, index) => sum | (BigInt(byte & 0x7f) << BigInt(7 * index)), 0n);
  return BigInt.asIntN(64, bits).toString();
}

/** A `fixed64` without loss of precision. */
export function readFixed64(pbf: PbfReader): bigint {
  expectWire(pbf, WIRE.fixed64);
  const value = pbf.dataView.getBigUint64(pbf.pos, true);
  pbf.pos += 8;
  return value;
}

/** A `sfixed64` without loss of precision. */
export function readSignedFixed64(pbf: PbfReader): bigint {
  return BigInt.asIntN(64, readFixed64(pbf));
}

export function readDouble(pbf: PbfReader): number {
  expectWire(pbf, WIRE.fixed64);
  return pbf.readDouble();
}

function expectWire(pbf: PbfReader, wire: number): void {
  if (pbf.type !== wire) {
    throw new MalformedMessageError(`a field has wire type ${pbf.type}, expected ${wire}`);
  }
}
