import type { Evidence } from '../../core/evidence.ts';
import { GAP_MS, MINUTE_MS } from '../constants.ts';
import { ACCOUNTED, blamed, isSignificant, lostOnTheWayFrom, servicesOf } from '../evidence.ts';
import { COOLDOWN_MS, HEALED_MS, MAX_AGE_MS, SETTLE_MS, SILENCE_MS } from './constants.ts';
import { type Incident, outlastsRoot } from './incident.ts';
import { incidentsAt, type LiveIncidents, oldestOf } from './incidents.ts';
import { findFated } from './merge.ts';
import { failingFrom, namedIn } from './reach.ts';

/** The incident that evidence belongs to, or null: by its fingerprint, its fate, its trace, then by what a root explains. */
export function findHome(live: LiveIncidents, evidence: Evidence, at: number): Incident | null {
  return (
    findKnown(live, evidence, at) ??
    findFated(live, evidence) ??
    findExplained(live, evidence, at) ??
    findByTrace(live, evidence, at) ??
    findNamed(live, evidence, at) ??
    findByReach(live, evidence, at)
  );
}

function findKnown(live: LiveIncidents, evidence: Evidence, at: number): Incident | null {
  const incident = live.byNumber.get(live.byFingerprint.get(evidence.fingerprint) ?? 0);
  return incident !== undefined && takes(incident, evidence, at) ? incident : null;
}

/** The oldest young incident whose root is one of the places that the evidence explains. */
function findExplained(live: LiveIncidents, { explains = [] }: Evidence, at: number): Incident | null {
  const isYoung = ({ openedAt, closedAt, activity }: Incident) =>
    closedAt === null && activity === 'failing' && at - openedAt <= SETTLE_MS;
  return oldestOf(incidentsAt(live, ...explains).filter(isYoung));
}

function findByTrace(live: LiveIncidents, evidence: Evidence, at: number): Incident | null {
  const { traceId } = evidence;
  const incident = traceId === null ? undefined : live.byNumber.get(live.byTrace.get(traceId) ?? 0);
  const isSeen = incident?.activity === 'failing' && incident.traces.has(traceId ?? '');
  return isSeen && takes(incident, evidence, at) ? incident : null;
}

/** The oldest incident in which a service fails that an error line names. */
function findNamed(live: LiveIncidents, evidence: Evidence, at: number): Incident | null {
  const incidents = [...namedIn(evidence)]
    .flatMap((name) => (live.byService.get(name) ?? []).filter((number) => live.reach.get(number)?.victims.has(name)))
    .flatMap((number) => live.byNumber.get(number) ?? [])
    .filter((incident) => incident.activity === 'failing' && takes(incident, evidence, at));
  return oldestOf(incidents);
}

/** The oldest incident whose root explains the evidence. */
export function findByReach(live: LiveIncidents, evidence: Evidence, at: number): Incident | null {
  let oldest = null as Incident | null;
  for (const service of servicesOf(evidence)) {
    for (const number of live.byService.get(service) ?? []) {
      const incident = live.byNumber.get(number);
      if (
        incident !== undefined &&
        number < (oldest?.number ?? Number.POSITIVE_INFINITY) &&
        takes(incident, evidence, at) &&
        reaches(live, incident, evidence, at)
      ) {
        oldest = incident;
      }
    }
  }
  return oldest;
}

/** The oldest failing incident to whose root calls fail all the way from what the evidence is about. */
export function findExplaining(
  live: LiveIncidents,
  evidence: Evidence,
  at: number,
  isAllowed: (incident: Incident) => boolean,
): Incident | null {
  const [service = ''] = blamed(evidence);
  const explaining = incidentsAt(live, service, ...failingFrom(live.failingCalls, service, at)).filter(
    (incident) => incident.activity === 'failing' && incident.closedAt === null && isAllowed(incident),
  );
  return oldestOf(explaining);
}

function takes(incident: Incident, evidence: Evidence, at: number): boolean {
  const { lastAt, openedAt, closedAt, cooldownMs, reopenedAt, activity, root, openAlerts, members, blamedAt } =
    incident;
  if (openAlerts.has(evidence.fingerprint)) {
    return true;
  }
  if (closedAt !== null && (evidence.seenAt ?? at) - closedAt > cooldownMs) {
    return false;
  }
  const silence = at - lastAt;
  const isReopened = reopenedAt !== null && at - reopenedAt <= COOLDOWN_MS;
  const isAlive = openAlerts.size > 0 || silence <= GAP_MS || isReopened;
  if (!isAlive || blamed(evidence).includes(root)) {
    return isAlive;
  }
  if (evidence.seenAt !== undefined && members.has(evidence.fingerprint) && !outlastsRoot(incident, evidence.seenAt)) {
    return true; // it tells of the time when the root failed
  }
  // Once the root works again, what fails at its victims has another cause.
  const isOver = activity === 'recovered' ? silence >= SILENCE_MS : blamedAt !== null && silence >= HEALED_MS;
  const age = at - Math.max(openedAt, reopenedAt ?? openedAt);
  const isOpenToNew = (activity === 'failing' && age <= MAX_AGE_MS) || age <= SETTLE_MS;
  return !isOver && (isOpenToNew || members.has(evidence.fingerprint));
}

function reaches(live: LiveIncidents, incident: Incident, evidence: Evidence, at: number): boolean {
  const counted = blamed(evidence);
  if (counted.includes(incident.root)) {
    return true;
  }
  if (ACCOUNTED.has(evidence.family) && isSignificant(evidence)) {
    const isFromRoot = incident.blamedAt !== null && lostOnTheWayFrom(evidence) === incident.root;
    return isFromRoot || counted.some((service) => incident.otherRoots.has(service));
  }
  const reach = live.reach.get(incident.number);
  if (reach === undefined) {
    return false;
  }
  const { victims, suspects } = reach;
  const age = at - incident.openedAt;
  const maySuspect =
    age <= SETTLE_MS &&
    (evidence.family !== 'failed_calls' ||
      (age <= MINUTE_MS && (victims.has(evidence.service) || suspects.has(evidence.service))));
  return counted.some((service) => victims.has(service) || (maySuspect && suspects.has(service)));
}
