import type { IncidentLabels, Severity } from '../contract/resources.ts';
import { hasLabels, isNamed } from './label-filter.ts';

/** Which incidents a rule or a policy wants. An empty list means all. */
export interface RuleFilter {
  /** Names of services; a name that ends with `*` stands for all names with that beginning. */
  readonly services: readonly string[];
  readonly severities: readonly Severity[];
  /** Ids of integrations. */
  readonly integrations: readonly string[];
  /** One of the values of each label: `team:payments`, `env:prod*`. */
  readonly labels: readonly string[];
}

/** What a filter compares. A service may report less than ours. */
export interface Filtered {
  readonly root_service: string;
  readonly services?: readonly string[] | undefined;
  readonly severity?: Severity | undefined;
  readonly integrations?: readonly { readonly id: string }[] | undefined;
  readonly labels?: IncidentLabels | undefined;
}

/** Fields that the service does not report match, so that no incident is lost. */
export function matchesFilter(filter: RuleFilter, incident: Filtered): boolean {
  const services = [incident.root_service, ...(incident.services ?? [])];
  const { severity, integrations } = incident;
  return (
    (filter.services.length === 0 ||
      filter.services.some((wanted) => services.some((name) => isNamed(wanted, name)))) &&
    (filter.severities.length === 0 || severity === undefined || filter.severities.includes(severity)) &&
    (filter.integrations.length === 0 ||
      integrations === undefined ||
      integrations.some(({ id }) => filter.integrations.includes(id))) &&
    hasLabels(filter.labels, incident.labels)
  );
}
