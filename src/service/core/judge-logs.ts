import { foldSignals, seenOnce } from './fold.ts';
import type { ObservedSignal } from './signal.ts';
import { otlpSource } from './signal-source.ts';
import { type LogRecord, observedAt } from './telemetry.ts';
import { clip, fingerprint, keepable, oneLine, TEXT_LIMITS, template, textOf } from './text.ts';

/** OpenTelemetry severity numbers: 17 to 20 are ERROR, 21 to 24 are FATAL. */
const ERROR = 17;
const FATAL = 21;

/** One signal per message template in the batch, for ERROR and above. */
export function judgeLogs(records: readonly LogRecord[], now: Date): ObservedSignal[] {
  const failures = records.filter((record) => severityNumber(record) >= ERROR);
  return foldSignals(failures.map((record) => judgeErrorRecord(record, now)));
}

function judgeErrorRecord(record: LogRecord, now: Date): ObservedSignal {
  const { service } = record.resource;
  const severity = severityNumber(record) >= FATAL ? 'critical' : 'error';
  const body = messageOf(record);
  return {
    type: 'log',
    service,
    summary: oneLine(body, TEXT_LIMITS.summary),
    severity,
    ...seenOnce(record.timeNanos === null ? now : observedAt(record.timeNanos, now)),
    fingerprint: fingerprint('log', service, severity, textOf(record.attributes['exception.type']), template(body)),
    traceId: record.traceId,
    spanId: record.spanId,
    attributes: keepable(record.attributes),
    source: otlpSource(record.resource),
    detail: { type: 'log', body: clip(body, TEXT_LIMITS.body) },
  };
}

/** Uses the number, or the text when the sender sets only that. */
function severityNumber({ severityNumber: number, severityText }: LogRecord): number {
  if (number > 0) {
    return number;
  }
  if (/^(fatal|critical|crit|alert|emerg|emergency|panic)$/i.test(severityText)) {
    return FATAL;
  }
  return /^(error|err|severe)$/i.test(severityText) ? ERROR : 0;
}

function messageOf({ body, attributes }: LogRecord): string {
  const exception = ['exception.type', 'exception.message'].map((key) => textOf(attributes[key])).filter(Boolean);
  return textOf(body).trim() || exception.join(': ') || 'an error without a message';
}
