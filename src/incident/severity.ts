import { Severity } from '../contract/resources.ts';

/** The order of severities, worst first: the only definition of it, also for the database. */
export const WORST_FIRST: readonly Severity[] = Severity.options;

/** 0 is the worst; an unknown severity is last. */
export function severityRank(severity: Severity | undefined): number {
  const rank = severity === undefined ? -1 : WORST_FIRST.indexOf(severity);
  return rank < 0 ? WORST_FIRST.length : rank;
}

/** False if either is unknown. */
export function isWorse(one: Severity | undefined, other: Severity | undefined): boolean {
  return one !== undefined && other !== undefined && severityRank(one) < severityRank(other);
}
