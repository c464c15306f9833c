import type { Severity } from '../../contract/resources.ts';
import { seenOnce } from './fold.ts';
import { linksIn } from './links.ts';
import type { ObservedSignal } from './signal.ts';
import { otlpSource } from './signal-source.ts';
import { type LogRecord, observedAt } from './telemetry.ts';
import { clip, fingerprint, keepable, oneLine, TEXT_LIMITS, template, textOf } from './text.ts';

/** OpenTelemetry severity numbers: 13 to 16 are WARN, 17 to 20 ERROR, 21 to 24 FATAL. */
const WARN = 13;
const ERROR = 17;
const FATAL = 21;

/** @returns null: the record is less severe than ERROR */
export function judgeLog(record: LogRecord, now: Date): ObservedSignal | null {
  const severity = severityOf(record);
  return severity === 'critical' || severity === 'error' ? toLogSignal(record, now) : null;
}

/** A record that is worth a signal whatever its severity. */
export function toLogSignal(record: LogRecord, now: Date): ObservedSignal {
  const severity = severityOf(record);
  const { service } = record.resource;
  const message = messageOf(record);
  return {
    type: 'log',
    service,
    summary: oneLine(message, TEXT_LIMITS.summary),
    severity,
    ...seenOnce(record.timeNanos === null ? now : observedAt(record.timeNanos, now)),
    fingerprint: fingerprint('log', service, severity, textOf(record.attributes['exception.type']), template(message)),
    traceId: record.traceId,
    spanId: record.spanId,
    attributes: keepable(record.attributes),
    links: linksIn(record.attributes),
    source: otlpSource(record.resource),
    detail: { type: 'log', body: clip(textOf(record.body).trim() || message, TEXT_LIMITS.body) },
  };
}

/** Uses the number, or the text when the sender sets only that. */
export function severityOf({ severityNumber, severityText }: LogRecord): Severity {
  if (severityNumber >= FATAL || (severityNumber === 0 && FATAL_TEXT.test(severityText))) {
    return 'critical';
  }
  if (severityNumber >= ERROR || (severityNumber === 0 && ERROR_TEXT.test(severityText))) {
    return 'error';
  }
  return severityNumber >= WARN ? 'warning' : 'info';
}

const FATAL_TEXT = /^(fatal|critical|crit|alert|emerg|emergency|panic)$/i;
const ERROR_TEXT = /^(error|err|severe)$/i;

export function messageOf({ body, message, attributes }: LogRecord): string {
  const exception = ['exception.type', 'exception.message'].map((key) => textOf(attributes[key])).filter(Boolean);
  return (message ?? textOf(body)).trim() || exception.join(': ') || 'an error without a message';
}
