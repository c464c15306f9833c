import type { IncomingType } from '../../contract/requests.ts';
import type { Severity } from '../../contract/resources.ts';
import { seenOnce } from '../core/fold.ts';
import { linksIn, type NamedPage } from '../core/links.ts';
import type { ObservedSignal } from '../core/signal.ts';
import { type AttributeValue, UNKNOWN_SERVICE } from '../core/telemetry.ts';
import { clip, keepable, oneLine, TEXT_LIMITS } from '../core/text.ts';

/** Undefined and null values are left out. */
type Fields = Readonly<Record<string, AttributeValue | undefined>>;

/** A failure that another system has detected. */
export interface Alert {
  /** Candidates for the service: the first non-empty text is used. */
  readonly services: readonly (AttributeValue | undefined)[];
  readonly summary: string;
  readonly severity: Severity;
  readonly observedAt: Date;
  readonly fingerprint: string;
  readonly attributes: Fields;
  /** Pages that the sender named beside its attributes. */
  readonly pages?: readonly NamedPage[];
  /** Whether the sender reports the end of its alerts. */
  readonly reportsEnd: boolean;
  /** The sender. */
  readonly source: Fields & { readonly format: IncomingType };
}

/** An alert opens an incident by itself. */
export function toSignal(alert: Alert): ObservedSignal {
  const names = alert.services.map((name) => (typeof name === 'string' ? name.trim() : ''));
  const attributes = withoutAbsent(alert.attributes);
  return {
    type: 'metric',
    service: clip(names.find((name) => name !== '') ?? UNKNOWN_SERVICE, TEXT_LIMITS.service),
    summary: oneLine(alert.summary, TEXT_LIMITS.summary),
    severity: alert.severity,
    ...seenOnce(alert.observedAt),
    fingerprint: alert.fingerprint,
    traceId: null,
    spanId: null,
    attributes: keepable(attributes),
    links: linksIn(attributes, alert.pages),
    source: keepable(withoutAbsent(alert.source)),
    detail: { type: 'alert', reportsEnd: alert.reportsEnd },
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

/** @returns `error` for an absent or unknown name, since somebody considered it worth an alert */
export function severityNamed(name: AttributeValue | undefined): Severity {
  return SEVERITY_BY_NAME.get(typeof name === 'string' ? name.trim().toLowerCase() : name) ?? 'error';
}
