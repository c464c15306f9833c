import type { Severity } from '../../contract/resources.ts';

/** `any service`: a service name without `service:` is accepted too. */
export type FilterName = 'service' | 'any service' | 'severity' | 'acknowledged' | 'period';

/** What a list is narrowed down to; null: not narrowed. */
export interface IncidentFilter {
  /** Root service or affected service. */
  readonly service: string | null;
  readonly severity: Severity | null;
  readonly isAcknowledged: boolean | null;
  /** How far back. */
  readonly periodMs: number | null;
}

export const NO_FILTER: IncidentFilter = { service: null, severity: null, isAcknowledged: null, periodMs: null };
