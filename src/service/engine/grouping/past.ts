import type { Evidence } from '../../core/telemetry-item.ts';
import { ACCOUNTED } from '../evidence.ts';
import { sharesOf } from '../ranking/rank.ts';
import { type Bystanders, learnBystanders } from './bystanders.ts';
import type { Incident } from './incident.ts';

/** A past incident, reduced to what shows whether another is the same failure. */
export interface PastIncident {
  readonly number: number;
  readonly root: string;
  readonly fingerprints: ReadonlySet<string>;
}

const MAX_PAST = 1_000;
const MAX_FINGERPRINTS = 50;
/** Evidence that also fires in quiet time does not make two incidents the same. */
const RARE = 0.5;

/** What is kept of incidents that are over. */
interface Memory {
  readonly past: PastIncident[];
  readonly bystanders: Bystanders;
}

export function remember({ past, bystanders }: Memory, incident: Incident): void {
  if (incident.floodOf === null) {
    const evidence = [...incident.members.values()].map((member) => member.evidence);
    learnBystanders(bystanders, likelyRoots(incident), evidence);
  }
  past.push(asPast(incident));
  if (past.length > MAX_PAST) {
    past.shift();
  }
}

/** How likely each service is the root: of one that requests were followed to, that is known better than from scores. */
function likelyRoots({ root, confidence, candidates, blamedAt }: Incident): Map<string, number> {
  return blamedAt === null ? sharesOf(candidates) : new Map([[root, confidence]]);
}

export function asPast(incident: Incident): PastIncident {
  return { number: incident.number, root: incident.root, fingerprints: new Set(fingerprintsOf(incident)) };
}

/** Earlier incidents in which the same root failed in the same way. */
export function findSimilar(past: readonly PastIncident[], incident: Incident): number[] {
  const telling = tellingOf(incident);
  return past
    .filter(
      ({ number, root, fingerprints }) =>
        number !== incident.number &&
        root === incident.root &&
        telling.some((fingerprint) => fingerprints.has(fingerprint)),
    )
    .map(({ number }) => number);
}

/** Lost requests do not show how a service failed, so they count only if an incident has no other evidence. */
function tellingOf(incident: Incident): string[] {
  const own = ownOf(incident);
  return own.length === 0 ? fingerprintsOf(incident) : own.map(({ fingerprint }) => fingerprint);
}

function fingerprintsOf(incident: Incident): string[] {
  const lost = listTelling(incident).filter(({ family }) => ACCOUNTED.has(family));
  return [...lost, ...ownOf(incident)].slice(0, MAX_FINGERPRINTS).map(({ fingerprint }) => fingerprint);
}

function ownOf(incident: Incident): Evidence[] {
  return listTelling(incident)
    .filter(({ family }) => !ACCOUNTED.has(family))
    .slice(0, MAX_FINGERPRINTS);
}

function listTelling({ root, members }: Incident): Evidence[] {
  return [...members.values()].flatMap(({ evidence }) => (isTelling(evidence, root) ? [evidence] : []));
}

/** A failure shows at its root, not in the generic error of the service at the edge. */
function isTelling({ service, peer, rarity, family }: Evidence, root: string): boolean {
  return rarity >= RARE && family !== 'change' && (service === root || peer === root);
}
