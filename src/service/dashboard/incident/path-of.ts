import { plural } from '../../../incident/phrase.ts';
import type { Incident } from '../../core/incident.ts';

/** A service on the way of the failure. */
export interface Hop {
  readonly service: string;
  /** Another than the first if somebody set the root. */
  readonly isRoot: boolean;
  /** "208 requests": those that were lost and came this way; null: it is where the way begins. */
  readonly numbers: string | null;
}

/** How the failure reached people: from the root over its callers to where requests enter. Empty: not known. */
export function pathOf({
  rootService,
  correlation: { path = [] },
}: Pick<Incident, 'rootService' | 'correlation'>): readonly Hop[] {
  return path.length < 2
    ? []
    : path.map(({ service, requests }, index) => ({
        service,
        isRoot: service === rootService,
        numbers: index === 0 ? null : plural(requests, 'request'),
      }));
}

/** The services of that way, the root first. */
export function wayOf({
  rootService,
  correlation: { path = [] },
}: Pick<Incident, 'rootService' | 'correlation'>): readonly string[] {
  return [...new Set([rootService, ...path.map(({ service }) => service)])];
}

/** All services that it affects: those that report it, and those that lost requests on its way without reporting any. */
export function affectedBy(incident: Pick<Incident, 'rootService' | 'services' | 'correlation'>): readonly string[] {
  return [...new Set([...incident.services, ...wayOf(incident)])];
}
