import type { Severity } from '../../contract/resources.ts';
import { seenOnce } from './fold.ts';
import { linksIn } from './links.ts';
import type { ObservedSignal } from './signal.ts';
import { otlpSource } from './signal-source.ts';
import { type LogRecord, observedAt } from './telemetry.ts';
import { clip, fingerprint, keepable, oneLine, TEXT_LIMITS, template, textOf } from './text.ts';

/** OpenTelemetry severity numbers: 9 to 12 are INFO, 13 to 16 WARN, 17 to 20 ERROR, 21 to 24 FATAL. */
export const SEVERITY_NUMBERS = { info: 9, warn: 13, error: 17, fatal: 21 } as const;

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
  const number = severityNumber > 0 ? severityNumber : (severityNumberNamed(severityText) ?? 0);
  if (number >= SEVERITY_NUMBERS.fatal) {
    return 'critical';
  }
  if (number >= SEVERITY_NUMBERS.error) {
    return 'error';
  }
  return number >= SEVERITY_NUMBERS.warn ? 'warning' : 'info';
}

/** Names that loggers give their levels. */
const NAMES: readonly (readonly [number, RegExp])[] = [
  [SEVERITY_NUMBERS.fatal, /^(?:fatal|critical|crit|alert|emerg|emergency|panic|dpanic|ftl|pnc)$/i],
  [SEVERITY_NUMBERS.error, /^(?:error|err|severe|eror|fail)$/i],
  [SEVERITY_NUMBERS.warn, /^(?:warning|warn|wrn)$/i],
  [
    SEVERITY_NUMBERS.info,
    /^(?:information|informational|info|inf|notice|debug|dbug|dbg|trace|trc|trce|verbose|vrb|fine|finer|finest|config)$/i,
  ],
];

/** The severity number of a level by its name; null: it is none. */
export function severityNumberNamed(name: string): number | null {
  return NAMES.find(([, names]) => names.test(name))?.[0] ?? null;
}

export function messageOf({ body, message, attributes }: LogRecord): string {
  const exception = ['exception.type', 'exception.message'].map((key) => textOf(attributes[key])).filter(Boolean);
  return (message ?? textOf(body)).trim() || exception.join(': ') || 'an error without a message';
}
