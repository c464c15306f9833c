import type { Evidence } from '../../core/telemetry-item.ts';
import type { Incident } from './incident.ts';

/** What is remembered of an incident that takes no more evidence. */
export interface PastIncident {
  readonly number: number;
  readonly root: string;
  readonly fingerprints: ReadonlySet<string>;
}

const MAX_PAST = 1_000;
const MAX_FINGERPRINTS = 50;
/** What fires in quiet time makes no two incidents the same. */
const RARE = 0.5;

export function remember(past: PastIncident[], { number, root, members }: Incident): void {
  const rare = [...members.values()].filter(({ evidence }) => isTelling(evidence, root));
  past.push({
    number,
    root,
    fingerprints: new Set(rare.slice(0, MAX_FINGERPRINTS).map(({ evidence }) => evidence.fingerprint)),
  });
  if (past.length > MAX_PAST) {
    past.shift();
  }
}

/** The last incident in which the same root failed in the same way, or null. */
export function findPrevious(
  past: readonly PastIncident[],
  root: string,
  evidence: readonly Evidence[],
): number | null {
  const telling = evidence.filter((found) => isTelling(found, root));
  const same = past.findLast(
    (incident) => incident.root === root && telling.some(({ fingerprint }) => incident.fingerprints.has(fingerprint)),
  );
  return same?.number ?? null;
}

/** A failure shows at its root, not in the generic error of the service at the edge. */
function isTelling({ service, peer, rarity }: Evidence, root: string): boolean {
  return rarity >= RARE && (service === root || peer === root);
}
