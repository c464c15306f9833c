import type { LogRecord } from '../../src/service/core/telemetry.ts';
import type { Decoded } from '../../src/service/ingest/decoded.ts';
import { PUSH_FORMATS, type PushType } from '../../src/service/ingest/formats/formats.ts';
import { readLogs } from '../../src/service/ingest/read-telemetry.ts';
import { finish } from './finish.ts';

/** When bodies come. */
export const NOW = new Date('2026-01-31T08:00:10Z');
/** What their entries say. */
export const AT = '2026-01-31T08:00:00.000Z';
export const NANOS = `${Date.parse(AT)}000000`;

/** How a body is pushed. */
export interface Pushed {
  readonly type?: string;
  readonly path?: string;
}

export function decoderOf(type: PushType, { type: contentType = 'application/json', path = '' }: Pushed = {}) {
  return PUSH_FORMATS[type].decoderFor({ headers: new Headers({ 'content-type': contentType }), path, now: NOW });
}

export function decodePush(type: PushType, body: string | Uint8Array, pushed?: Pushed): Decoded<LogRecord> {
  const decoder = decoderOf(type, pushed);
  if (decoder.kind !== 'logs') {
    throw new Error(`${type} has no logs`);
  }
  return finish(decoder.decode(Buffer.from(body)));
}

/** What becomes of the lines: service, severity, text and time. */
export function linesOf({ items }: Decoded<LogRecord>): unknown[] {
  return readLogs(items, NOW).telemetry.map((item) =>
    item.kind === 'log' ? [item.service, item.severity, item.text, new Date(item.at).toISOString()] : item,
  );
}

export const json = (value: unknown) => JSON.stringify(value);
export const PROTOBUF = { type: 'application/x-protobuf' };
