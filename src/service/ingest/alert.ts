import type { IncomingType } from '../../contract/integrations.ts';
import type { Severity } from '../../contract/resources.ts';
import { type NamedAlert, whereLabels } from '../core/alert-place.ts';
import { seenOnce } from '../core/fold.ts';
import { linksIn, type NamedPage } from '../core/links.ts';
import { nameService } from '../core/service-name.ts';
import type { ObservedSignal } from '../core/signal.ts';
import type { Attributes, AttributeValue } from '../core/telemetry.ts';
import { keepable, oneLine, TEXT_LIMITS } from '../core/text.ts';

/** Undefined and null values are left out. */
type Fields = Readonly<Record<string, AttributeValue | undefined>>;

/** A failure that another system has detected. */
export interface Alert {
  /** Fields of the format that name the service: the first non-empty text is used. */
  readonly services?: readonly (AttributeValue | undefined)[];
  /** They name the service if no field does, see `nameService`. Absent: the attributes. */
  readonly labels?: Attributes;
  /** Names the service if nothing else does: `{ "the alert's name": … }`. */
  readonly otherwise?: Fields;
  readonly summary: string;
  readonly severity: Severity;
  /** When it began. */
  readonly observedAt: Date;
  /**
   * When it was last seen. If the sender does not tell when its alerts end, so that they end when its report arrives, they
   * are seen when they arrive, too: its clock may be behind. Absent: when it began.
   */
  readonly seenAt?: Date;
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
  const attributes = withoutAbsent(alert.attributes);
  const { services = [], labels = attributes, otherwise = {} } = alert;
  const { service, by } = nameService({ given: services, labels, otherwise });
  const named = namedAlert(labels, otherwise, by);
  return {
    type: 'metric',
    service,
    summary: oneLine(alert.summary, TEXT_LIMITS.summary),
    severity: alert.severity,
    ...seenOnce(alert.observedAt),
    lastSeenAt: alert.seenAt ?? alert.observedAt,
    fingerprint: alert.fingerprint,
    traceId: null,
    spanId: null,
    attributes: keepable(routedFirst(attributes)),
    links: linksIn(attributes, alert.pages),
    source: keepable({ ...withoutAbsent(alert.source), service_by: by }),
    detail: { type: 'alert', reportsEnd: alert.reportsEnd, ...(named !== null && { named }) },
  };
}

/** What stands for a service that nothing names, and is what happened rather than where. */
const NAMES = ["the alert's name", "the monitor's name", 'the title', 'the message', 'the summary'];

const MAX_LABELS = 64;
/** A longer text says more than where. */
const LONGEST_LABEL = 200;

/** Without the name of a rule, its other fields need not be labels: only those that say where count. */
function namedAlert(labels: Attributes, otherwise: Fields, by: string): NamedAlert | null {
  const rule = labels.alertname;
  const name = [rule, ...NAMES.map((each) => otherwise[each])].find((text) => typeof text === 'string' && text !== '');
  if (typeof name !== 'string') {
    return null;
  }
  const texts = Object.entries(rule === undefined ? whereLabels(labels) : labels).flatMap(([label, value]) =>
    typeof value === 'string' && value.length <= LONGEST_LABEL ? [[label, value] as const] : [],
  );
  return {
    name: oneLine(name, TEXT_LIMITS.summary),
    labels: Object.fromEntries(texts.slice(0, MAX_LABELS)),
    isUnnamed: NAMES.includes(by),
  };
}

/** People route by these, so that the limit of attributes does not drop them. */
const ROUTED_BY = ['team', 'env', 'environment', 'cluster', 'namespace', 'region'];

function routedFirst(attributes: Attributes): Attributes {
  const first = ROUTED_BY.filter((name) => Object.hasOwn(attributes, name));
  return { ...Object.fromEntries(first.map((name) => [name, attributes[name] ?? null])), ...attributes };
}

function withoutAbsent(fields: Fields): Record<string, AttributeValue> {
  const entries = Object.entries(fields);
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === undefined || value === null ? [] : [[key, value]])),
  );
}

/** Texts, numbers and booleans of an object, by their names. Anything else has none. */
export function scalarsIn(body: unknown): Attributes {
  const entries = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, AttributeValue] => typeof entry[1] !== 'object'));
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
  // Names of other senders: Azure Monitor, Google Cloud, syslog, Zabbix, Pingdom.
  ...(['sev0', 'disaster', 'emergency', 'crit', 'highest'] as const).map((name) => [name, 'critical'] as const),
  ...(['sev1', 'high', 'major'] as const).map((name) => [name, 'error'] as const),
  ...(['sev2', 'medium', 'moderate', 'minor'] as const).map((name) => [name, 'warning'] as const),
  ...(['sev3', 'sev4', 'low', 'informational', 'notice'] as const).map((name) => [name, 'info'] as const),
]);

/** @returns `error` for an absent or unknown name, since somebody considered it worth an alert */
export function severityNamed(name: AttributeValue | undefined): Severity {
  return SEVERITY_BY_NAME.get(typeof name === 'string' ? name.trim().toLowerCase() : name) ?? 'error';
}

const SEVERITY_BY_PRIORITY: Readonly<Record<string, Severity>> = {
  P1: 'critical',
  P2: 'error',
  P3: 'warning',
  P4: 'info',
  P5: 'info',
};

/** Reads the priorities of Opsgenie, and of teams that route by them. @returns null: it is none */
export function severityOfPriority(priority: AttributeValue | undefined): Severity | null {
  return typeof priority === 'string' ? (SEVERITY_BY_PRIORITY[priority.trim().toUpperCase()] ?? null) : null;
}
