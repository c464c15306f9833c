import type { Severity } from '../../contract/resources.ts';
import type { ObservedSignal } from '../core/signal.ts';
import { type AttributeValue, UNKNOWN_SERVICE } from '../core/telemetry.ts';
import { clip, keepable, oneLine, TEXT_LIMITS } from '../core/text.ts';

/** What is undefined or null is left out. */
type Fields = Readonly<Record<string, AttributeValue | undefined>>;

/** What another system has judged to be wrong. */
export interface Alert {
  /** The first that is a text with something in it is the service. */
  readonly services: readonly (AttributeValue | undefined)[];
  readonly summary: string;
  readonly severity: Severity;
  readonly observedAt: Date;
  readonly fingerprint: string;
  readonly attributes: Fields;
  /** Where it came from: `{ format: 'alertmanager', … }` */
  readonly source: Fields;
}

/** An alert as a signal. It tells neither value nor threshold, and opens an incident by itself. */
export function toSignal(alert: Alert): ObservedSignal {
  const names = alert.services.map((name) => (typeof name === 'string' ? name.trim() : ''));
  return {
    type: 'metric',
    service: clip(names.find((name) => name !== '') ?? UNKNOWN_SERVICE, TEXT_LIMITS.service),
    summary: oneLine(alert.summary, TEXT_LIMITS.summary),
    severity: alert.severity,
    observedAt: alert.observedAt,
    fingerprint: alert.fingerprint,
    occurrences: 1,
    traceId: null,
    spanId: null,
    attributes: keepable(withoutAbsent(alert.attributes)),
    source: keepable(withoutAbsent(alert.source)),
    detail: { type: 'metric', value: null, threshold: null, unit: '' },
  };
}

function withoutAbsent(fields: Fields): Record<string, AttributeValue> {
  const entries = Object.entries(fields);
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === undefined || value === null ? [] : [[key, value]])),
  );
}

const SEVERITY_BY_NAME: ReadonlyMap<AttributeValue | undefined, Severity> = new Map([
  ['critical', 'critical'],
  ['fatal', 'critical'],
  ['page', 'critical'],
  ['error', 'error'],
  ['warning', 'warning'],
  ['warn', 'warning'],
  ['info', 'info'],
  ['none', 'info'],
]);

/** @returns `error` for no name, or one that we do not know: somebody found it worth an alert */
export function severityNamed(name: AttributeValue | undefined): Severity {
  return SEVERITY_BY_NAME.get(typeof name === 'string' ? name.trim().toLowerCase() : name) ?? 'error';
}
