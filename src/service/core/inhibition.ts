import type { InhibitRule } from '../../contract/incoming-config.ts';
import type { AlertHistory, Inhibition } from './telemetry-item.ts';

type Labels = Readonly<Record<string, unknown>>;

/**
 * What the rules of a sender say of one of its alerts. Each key stands for a rule and the values that must be equal. An alert
 * that is a source of a rule is no target of it.
 */
export function inhibitionOf(rules: readonly InhibitRule[], sender: string, labels: Labels): Inhibition {
  const keyed = rules.map((rule, index) => ({
    rule,
    key: JSON.stringify([sender, index, ...rule.equal.map((name) => textIn(labels, name))]),
  }));
  const inhibits = keyed.filter(({ rule }) => matches(labels, rule.source));
  const inhibitedBy = keyed.filter(({ rule }) => !matches(labels, rule.source) && matches(labels, rule.target));
  return {
    ...(inhibits.length === 0 ? {} : { inhibits: inhibits.map(({ key }) => key) }),
    ...(inhibitedBy.length === 0 ? {} : { inhibitedBy: inhibitedBy.map(({ key }) => key) }),
  };
}

function matches(labels: Labels, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => textIn(labels, name) === value);
}

/** A label that is missing is empty, as in Alertmanager. */
function textIn(labels: Labels, name: string): string {
  const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
  if (typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  return typeof value === 'string' ? value : '';
}

/** What the store knows about alerts. */
export interface AboutAlerts {
  /** By fingerprint. */
  readonly histories: ReadonlyMap<string, AlertHistory>;
  /** By sender. */
  readonly rules: ReadonlyMap<string, readonly InhibitRule[]>;
}
