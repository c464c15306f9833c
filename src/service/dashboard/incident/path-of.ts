import { plural } from '../../../incident/phrase.ts';
import type { Incident } from '../../core/incident.ts';

/** A service on the way of the failure, and what its call of the one before it lost. */
export interface Hop {
  readonly service: string;
  /** "208 of 216 calls failed", "208 requests"; null: it is the root. */
  readonly numbers: string | null;
}

/** How the failure reached people: from the root over its callers to where requests enter. Empty: not known. */
export function pathOf({
  correlation: { path = [], edges },
  impact,
}: Pick<Incident, 'correlation' | 'impact'>): readonly Hop[] {
  if (path.length < 2) {
    return [];
  }
  return path.map(({ service, requests }, index) => {
    const callee = path[index - 1]?.service;
    if (callee === undefined) {
      return { service, numbers: null };
    }
    const measured = impact.find(({ from, to }) => from === service && to === callee);
    const known = edges.find(({ from, to, errors }) => from === service && to === callee && errors > 0);
    const call = measured ?? (known === undefined ? undefined : { failed: known.errors, calls: known.calls });
    return {
      service,
      numbers:
        call === undefined
          ? `${plural(requests, 'request')} came this way`
          : `${call.failed.toLocaleString('en')} of ${plural(Math.max(call.calls, call.failed), 'call')} failed`,
    };
  });
}

/** "payments -> checkout (208 of 216 calls failed) -> web (30 requests came this way)"; empty: not known. */
export function pathWords(hops: readonly Hop[]): string {
  return hops.map(({ service, numbers }) => (numbers === null ? service : `${service} (${numbers})`)).join(' -> ');
}
