import { SEVERITY_NUMBERS, severityNumberNamed } from '../core/judge-logs.ts';
import type { Attributes, AttributeValue, LogRecord } from '../core/telemetry.ts';
import { textOf } from '../core/text.ts';

/** A longer body is not read. */
const MAX_READ = 65_536;
/** The level of a line in plain text stands near its beginning. */
const HEAD = 120;

/** Where loggers put these, as keys of structured lines; nested keys of ECS are joined by a dot. */
const LEVEL_KEYS = [
  'level',
  'severity',
  'log.level',
  'lvl',
  'levelname',
  'loglevel',
  'log_level',
  'severity_text',
  '@l',
  'PRIORITY',
];
const MESSAGE_KEYS = ['message', 'msg', 'short_message', 'event', 'text', '@m', '@mt', 'MESSAGE'];
const CAUSE_KEYS = ['error', 'err', 'exception', 'error.message', 'exc_info', 'stack_trace', '@x'];
const TRACE_KEYS = ['trace_id', 'traceId', 'traceID', 'trace.id', 'otelTraceID', 'TraceId'];
const SPAN_KEYS = ['span_id', 'spanId', 'spanID', 'span.id', 'otelSpanID', 'SpanId'];

/**
 * What a line says by itself where its sender tells OpenTelemetry less: its level, its message without the fields around it,
 * and its trace. Reads JSON, logfmt, and the levels of plain text, as agents send them that only follow files. What the sender
 * does tell stays.
 */
export function readLogLine(record: LogRecord): LogRecord {
  const { body, attributes, severityNumber, severityText } = record;
  const line = isRecord(body) ? body.log : body;
  const written = typeof line === 'string' && line.length <= MAX_READ ? unwrap(line.trimStart()) : '';
  const inBody = parseJson(written) ?? parseLogfmt(written) ?? (isRecord(body) && written === '' ? body : null);
  // Not merged, because a hostile line may have thousands of fields.
  const fields = [inBody ?? {}, isRecord(body) ? body : {}, attributes];
  const message = inBody === null ? (raisedIn(written) ?? (isRecord(body) ? written : null)) : messageIn([inBody]);
  const isTold = severityNumber > 0 || severityText !== '';
  const severity = isTold ? null : (levelIn(fields) ?? levelOf(message ?? written));
  return {
    ...record,
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

/** `key=value` and `key="value"`, of the keys that are read. */
const PAIR =
  /(?:^|\s)(level|lvl|severity|msg|message|err|error|trace_id|traceID|traceId|span_id|spanID|spanId)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g;

/** @returns null: it is not logfmt, which names its level or its message */
function parseLogfmt(text: string): Attributes | null {
  if (!/(?:^|\s)(?:level|lvl|msg)=/.test(text)) {
    return null;
  }
  const pairs = [...text.matchAll(PAIR)].map(([, key = '', quoted, bare]): [string, string] => [
    key,
    quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '',
  ]);
  const isTold = pairs.some(([key]) => MESSAGE_KEYS.includes(key));
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
    if (typeof value === 'string' && value.trim() !== '') {
      return value.trim();
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

function levelIn(fields: Fields): number | null {
  for (const key of LEVEL_KEYS) {
    const value = valueAt(fields, key);
    const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d{1,2}$/.test(value));
    const level = isNumber ? levelOfNumber(Number(value)) : severityNumberNamed(textOf(value));
    if (level !== null) {
      return level;
    }
  }
  return null;
}

/** From 10 on as pino and bunyan number them (more is worse), below as syslog does (less is worse). */
function levelOfNumber(number: number): number {
  const isWorse = (most: number, syslog: number) => (number >= 10 ? number >= most : number <= syslog);
  const { fatal, error, warn, info } = SEVERITY_NUMBERS;
  return isWorse(60, 2) ? fatal : isWorse(50, 3) ? error : isWorse(40, 4) ? warn : info;
}

/** `2026-01-31 08:00:00 ERROR …`, `ERROR:root:…`, `[error]`, `[core:error]`. Words in small letters alone are part of a sentence. */
const LEVEL_WORD =
  /(?:^|[\s[|(<:])(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|FATAL|PANIC|ALERT|EMERGENCY)(?=[\s\]|)>:,]|$)|\[(?:\w+:)?(debug|info|notice|warn|warning|error|crit|alert|emerg)\]/;
/** `E0131 08:00:00.000000       1 file.go:42] …` of Kubernetes. */
const KLOG = /^([IWEF])\d{4} \d\d:\d\d:\d\d/;
const KLOG_LEVELS: Readonly<Record<string, keyof typeof SEVERITY_NUMBERS>> = {
  I: 'info',
  W: 'warn',
  E: 'error',
  F: 'fatal',
};

/** The exception at the end of a traceback of Python. */
function raisedIn(text: string): string | null {
  return text.startsWith('Traceback (most recent call last)') ? (text.trimEnd().match(/\n(\S.*)$/)?.[1] ?? null) : null;
}

/** What a runtime writes when a program dies, which no logger gave a level. */
const CRASH = /^(?:panic: |fatal error: |Exception in thread |[\w.$]*(?:Error|Exception)(?:: |$))/;

/** The first level in the head of a line in plain text. */
function levelOf(text: string): number | null {
  const head = text.slice(0, HEAD);
  const [, letter] = KLOG.exec(head) ?? [];
  if (letter !== undefined) {
    return SEVERITY_NUMBERS[KLOG_LEVELS[letter] ?? 'info'];
  }
  const [, word, bracketed] = LEVEL_WORD.exec(head) ?? [];
  return severityNumberNamed(word ?? bracketed ?? '') ?? (CRASH.test(head) ? SEVERITY_NUMBERS.error : null);
}

function idsIn(fields: Fields): Partial<Pick<LogRecord, 'traceId' | 'spanId'>> {
  const traceId = idIn(fields, TRACE_KEYS, 32);
  return traceId === null ? {} : { traceId, spanId: idIn(fields, SPAN_KEYS, 16) };
}

function idIn(fields: Fields, keys: readonly string[], digits: number): string | null {
  const id = firstText(fields, keys)?.toLowerCase() ?? '';
  return id.length === digits && /^(?!0+$)[0-9a-f]+$/.test(id) ? id : null;
}
