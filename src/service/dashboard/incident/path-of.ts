import { plural } from '../../../incident/phrase.ts';
import type { Incident } from '../../core/incident.ts';

/** A service on the way of the failure. */
export interface Hop {
  readonly service: string;
  /** "208 requests": those that were lost and came this way; null: it is the root. */
  readonly numbers: string | null;
}

/** How the failure reached people: from the root over its callers to where requests enter. Empty: not known. */
export function pathOf({ correlation: { path = [] } }: Pick<Incident, 'correlation'>): readonly Hop[] {
  return path.length < 2
    ? []
    : path.map(({ service, requests }, index) => ({
        service,
        numbers: index === 0 ? null : plural(requests, 'request'),
      }));
}

/** "payments -> checkout (208 requests) -> web (30 requests)"; empty: not known. */
export function pathWords(hops: readonly Hop[]): string {
  return hops.map(({ service, numbers }) => (numbers === null ? service : `${service} (${numbers})`)).join(' -> ');
}
