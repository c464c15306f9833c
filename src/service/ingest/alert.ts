import type { Severity } from '../../contract/resources.ts';
import type { ObservedSignal } from '../core/signal.ts';
import { type Attributes, UNKNOWN_SERVICE } from '../core/telemetry.ts';
import { clip, keepable, oneLine, TEXT_LIMITS } from '../core/text.ts';

/** What another system has judged to be wrong. */
export interface Alert {
  /** The first that is there, and not empty, counts. */
  readonly services: readonly (string | undefined)[];
  readonly summary: string;
  readonly severity: Severity;
  readonly observedAt: Date;
  readonly fingerprint: string;
  readonly attributes: Attributes;
  /** Where it came from: `{ format: 'alertmanager', … }`; what is undefined is left out. */
  readonly source: Readonly<Record<string, string | undefined>>;
}

function withoutAbsent(fields: Alert['source']): Attributes {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

/** An alert as a signal. It tells neither value nor threshold, and opens an incident by itself. */
export function toSignal({
  services,
  summary,
  severity,
  observedAt,
  fingerprint,
  attributes,
  source,
}: Alert): ObservedSignal {
  const service = services.map((name) => name?.trim()).find((name) => name !== undefined && name !== '');
  return {
    type: 'metric',
    service: clip(service ?? UNKNOWN_SERVICE, TEXT_LIMITS.service),
    summary: oneLine(summary, TEXT_LIMITS.summary),
    severity,
    observedAt,
    fingerprint,
    occurrences: 1,
    traceId: null,
    spanId: null,
    attributes: keepable(attributes),
    source: keepable(withoutAbsent(source)),
    detail: { type: 'metric', value: null, threshold: null, unit: '' },
  };
}

const SEVERITY_BY_NAME: Readonly<Record<string, Severity>> = {
  critical: 'critical',
  fatal: 'critical',
  page: 'critical',
  error: 'error',
  warning: 'warning',
  warn: 'warning',
  info: 'info',
  none: 'info',
};

/** @returns `error` for no name or one that we do not know: somebody found it worth an alert */
export function severityNamed(name: string | undefined): Severity {
  return SEVERITY_BY_NAME[name?.toLowerCase() ?? ''] ?? 'error';
}
