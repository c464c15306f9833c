import { severityNumberNamed } from '../core/judge-logs.ts';
import type { Attributes, AttributeValue, LogRecord } from '../core/telemetry.ts';
import { levelOfFields, levelOfText, spelt, takePriority, withoutColors } from './log-level.ts';
import { resourceOfRecord } from './record-service.ts';

/** A longer body is not read. */
const MAX_READ = 65_536;
/** Where loggers put these, as keys of structured lines; nested keys of ECS are joined by a dot. */
const MESSAGE_KEYS = [...[['message'], ['msg'], ['short', 'message'], ['event'], ['text']].flatMap(spelt), '@m', '@mt'];
const CAUSE_KEYS = [
  ...[['error'], ['err'], ['exception'], ['error', 'message'], ['exc', 'info'], ['stack', 'trace']].flatMap(spelt),
  '@x',
];
/** Where agents put the line. */
const LINE_KEYS = ['log', 'message', 'MESSAGE', 'msg'];
const TRACE_KEYS = ['trace_id', 'traceId', 'traceID', 'trace.id', 'otelTraceID', 'TraceId'];
const SPAN_KEYS = ['span_id', 'spanId', 'spanID', 'span.id', 'otelSpanID', 'SpanId'];

/**
 * What a line says by itself where its sender tells OpenTelemetry less: its level, its message without the fields around it,
 * and its trace. Reads JSON, logfmt, and the levels of plain text, as agents send them that only follow files. What the sender
 * does tell stays.
 */
export function readLogLine(record: LogRecord): LogRecord {
  const { body, attributes, severityNumber, severityText } = record;
  const line = isRecord(body) ? LINE_KEYS.map((key) => body[key]).find((value) => typeof value === 'string') : body;
  const sent = typeof line === 'string' && line.length <= MAX_READ ? unwrap(line.trimStart()) : '';
  const whole = withoutColors(sent);
  const priority = takePriority(whole);
  const written = priority?.rest ?? whole;
  const inLine = parseJson(written) ?? parseLogfmt(written) ?? parseJsonBehind(written);
  const inBody = inLine ?? (isRecord(body) && (written === '' || body.log === undefined) ? body : null);
  // Not merged, because a hostile line may have thousands of fields.
  const fields = [inBody ?? {}, isRecord(body) ? body : {}, attributes];
  const isBare = isRecord(body) || priority !== null || whole !== sent;
  const message = inBody === null ? (raisedIn(written) ?? (isBare ? written : null)) : messageIn([inBody]);
  const isTold = severityNumber > 0 || severityNumberNamed(severityText) !== null;
  const told = isTold ? null : (levelOfFields((key) => valueAt(fields, key)) ?? priority?.severity);
  const severity = isTold ? null : (told ?? levelOfText(message ?? written));
  return {
    ...record,
    resource: resourceOfRecord(record, inLine),
    ...(severity !== null && { severityNumber: severity }),
    ...(message !== null && { message }),
    ...(record.traceId === null && idsIn(fields)),
  };
}

/** Container runtimes put each line into one of their own. */
const CRI = /^\S+ std(?:out|err) [FP] /;

function unwrap(text: string): string {
  const line = text.replace(CRI, '');
  const docker = line.startsWith('{"log":"') ? parseJson(line) : null;
  return typeof docker?.log === 'string' ? docker.log.trim() : line;
}

function isRecord(value: AttributeValue | undefined): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): Attributes | null {
  if (!text.startsWith('{')) {
    return null;
  }
  try {
    const parsed: AttributeValue = JSON.parse(text);
    return isRecord(parsed) ? parsed : null;
  } catch {
    return null; // cut off, or only looks like JSON
  }
}

/** Characters before JSON that are looked at. */
const MOST_BEFORE = 200;

/**
 * JSON that a program wrote, behind what was put before it: a time, the header of syslog, `@cee:`, or the level that a runtime
 * gives all lines. It names a level and a message; JSON that does not is a part of a message.
 */
function parseJsonBehind(text: string): Attributes | null {
  const start = text.slice(0, MOST_BEFORE).indexOf('{"');
  const fields = start > 0 ? parseJson(text.slice(start)) : null;
  const isOfLogger =
    fields !== null &&
    levelOfFields((key) => valueAt([fields], key)) !== null &&
    firstText([fields], MESSAGE_KEYS) !== null;
  return isOfLogger ? fields : null;
}

/** `key=value` and `key="value"`, of the keys that are read. */
const PAIR =
  /(?:^|\s)(level|lvl|severity|service|app|msg|message|event|err|error|trace_id|traceID|traceId|span_id|spanID|spanId)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g;

/** @returns null: it is not logfmt, which names its level or its message, and says something */
function parseLogfmt(text: string): Attributes | null {
  if (!/(?:^|\s)(?:level|lvl|msg)=/.test(text)) {
    return null;
  }
  const pairs = [...text.matchAll(PAIR)].map(([, key = '', quoted, bare]): [string, string] => [
    key,
    quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '',
  ]);
  const isTold = pairs.some(([key]) => MESSAGE_KEYS.includes(key) || CAUSE_KEYS.includes(key));
  return isTold ? Object.fromEntries(pairs) : null;
}

/** Where fields are looked for, in this order. */
type Fields = readonly Attributes[];

function valueAt(fields: Fields, key: string): AttributeValue | undefined {
  const [outer = '', inner] = key.split('.');
  for (const own of fields) {
    const nested = own[outer];
    const value = own[key] ?? (inner !== undefined && isRecord(nested) ? nested[inner] : undefined);
    if (value !== undefined) {
      return value;
    }
  }
  return undefined;
}

function firstText(fields: Fields, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = valueAt(fields, key);
    const text = typeof value === 'string' ? withoutColors(value).trim() : '';
    if (text !== '') {
      return text;
    }
  }
  return null;
}

/** The message, and its cause where the message does not name it. */
function messageIn(fields: Fields): string | null {
  const message = firstText(fields, MESSAGE_KEYS);
  const cause = causeIn(fields);
  return message === null || cause === null || message.includes(cause) ? (message ?? cause) : `${message}: ${cause}`;
}

function causeIn(fields: Fields): string | null {
  for (const key of CAUSE_KEYS) {
    const value = valueAt(fields, key);
    const told = isRecord(value) ? firstText([value], ['message', 'msg']) : typeof value === 'string' ? value : null;
    const [line = ''] = told?.trim().split('\n') ?? [];
    if (told !== null && line !== '') {
      return raisedIn(told) ?? line;
    }
  }
  return null;
}

/** The exception at the end of a traceback of Python. */
function raisedIn(text: string): string | null {
  return text.startsWith('Traceback (most recent call last)') ? (text.trimEnd().match(/\n(\S.*)$/)?.[1] ?? null) : null;
}

function idsIn(fields: Fields): Partial<Pick<LogRecord, 'traceId' | 'spanId'>> {
  const traceId = idIn(fields, TRACE_KEYS, 32);
  return traceId === null ? {} : { traceId, spanId: idIn(fields, SPAN_KEYS, 16) };
}

function idIn(fields: Fields, keys: readonly string[], digits: number): string | null {
  const id = firstText(fields, keys)?.toLowerCase() ?? '';
  return id.length === digits && /^(?!0+$)[0-9a-f]+$/.test(id) ? id : null;
}
