import type { EngineSettings } from '../settings.ts';
import type { Evidence, Family } from '../telemetry-item.ts';
import { SILENCE_MS } from './activity.ts';
import { failsAlong, SAME_FAILURE_MS } from './failing-calls.ts';
import type { Incident } from './incident.ts';
import type { LiveIncidents } from './incidents.ts';
import { blamed, servicesOf } from './reach.ts';

/** The incident that evidence belongs to, or null: by its fingerprint, by its trace, then by what a root explains. */
export function findHome(
  live: LiveIncidents,
  evidence: Evidence,
  at: number,
  settings: EngineSettings,
): Incident | null {
  const known = findKnown(live, evidence, at, settings);
  if (known !== null) {
    return findCause(live, known, evidence, at) ?? known;
  }
  return findByTrace(live, evidence, at, settings) ?? findByReach(live, evidence, at, settings);
}

function findKnown(live: LiveIncidents, evidence: Evidence, at: number, settings: EngineSettings): Incident | null {
  const incident = live.byNumber.get(live.byFingerprint.get(evidence.fingerprint) ?? 0);
  return incident !== undefined && takes(incident, evidence, at, settings) ? incident : null;
}

function findByTrace(live: LiveIncidents, evidence: Evidence, at: number, settings: EngineSettings): Incident | null {
  const { traceId } = evidence;
  const incident = traceId === null ? undefined : live.byNumber.get(live.byTrace.get(traceId) ?? 0);
  const isSeen = incident?.activity === 'failing' && incident.traces.has(traceId ?? '');
  return isSeen && takes(incident, evidence, at, settings) ? incident : null;
}

/** The oldest incident whose root explains the evidence. */
export function findByReach(
  live: LiveIncidents,
  evidence: Evidence,
  at: number,
  settings: EngineSettings,
): Incident | null {
  const numbers = new Set(servicesOf(evidence).flatMap((service) => live.byService.get(service) ?? []));
  let oldest: Incident | null = null;
  for (const number of numbers) {
    const incident = live.byNumber.get(number);
    if (
      incident !== undefined &&
      (oldest === null || number < oldest.number) &&
      takes(incident, evidence, at, settings) &&
      reaches(live, incident, evidence, at, settings)
    ) {
      oldest = incident;
    }
  }
  return oldest;
}

/**
 * A later incident that explains what an earlier one shows: its root is where the calls fail now, and the root of the
 * earlier one is only its victim, or no longer where they lead.
 */
function findCause(live: LiveIncidents, known: Incident, evidence: Evidence, at: number): Incident | null {
  const [service] = blamed(evidence);
  const isShared = service !== undefined && (live.byService.get(service)?.length ?? 0) > 1;
  if (!isShared || !SYMPTOMS.has(evidence.family)) {
    return null;
  }
  const cause = findExplaining(live, evidence, at, ({ number }) => number > known.number);
  const isKnownCause = service === known.root || failsAlong(live.failingCalls, service, known.root, at, SILENCE_MS);
  const isCaused = cause !== null && (!isKnownCause || failsAlong(live.failingCalls, known.root, cause.root, at));
  return isCaused ? cause : null;
}

/** The oldest failing incident to whose root calls fail all the way from what the evidence is about. */
export function findExplaining(
  live: LiveIncidents,
  evidence: Evidence,
  at: number,
  isAllowed: (incident: Incident) => boolean,
): Incident | null {
  const [service] = blamed(evidence);
  const numbers = service === undefined ? [] : (live.byService.get(service) ?? []);
  const explaining = numbers.flatMap((number) => {
    const incident = live.byNumber.get(number);
    const isFailing = incident?.activity === 'failing' && incident.closedAt === null && isAllowed(incident);
    const explains =
      isFailing && (service === incident.root || failsAlong(live.failingCalls, service ?? '', incident.root, at));
    return explains ? [incident] : [];
  });
  return explaining.toSorted((a, b) => a.number - b.number)[0] ?? null;
}

/** What a failing callee does to its callers. */
const SYMPTOMS: ReadonlySet<Family> = new Set(['failed_calls', 'error_log', 'new_error_log', 'step_stopped']);

function takes(incident: Incident, evidence: Evidence, at: number, settings: EngineSettings): boolean {
  const { lastAt, openedAt, closedAt, activity, root, openAlerts, members } = incident;
  if (openAlerts.has(evidence.fingerprint)) {
    return true;
  }
  if (closedAt !== null && at - closedAt > settings.cooldownMs) {
    return false;
  }
  const isAlive = openAlerts.size > 0 || at - lastAt <= settings.gapMs;
  if (!isAlive || blamed(evidence).includes(root)) {
    return isAlive;
  }
  // Once the root works again, what fails at its victims has another cause.
  const isOver = activity === 'recovered' && at - lastAt >= SILENCE_MS;
  const age = at - openedAt;
  const isOpenToNew = (activity === 'failing' && age <= settings.maxAgeMs) || age <= settings.settleMs;
  return !isOver && (isOpenToNew || members.has(evidence.fingerprint));
}

function reaches(
  live: LiveIncidents,
  incident: Incident,
  evidence: Evidence,
  at: number,
  { settleMs }: EngineSettings,
): boolean {
  const reach = live.reach.get(incident.number);
  if (reach === undefined) {
    return false;
  }
  const age = at - incident.openedAt;
  const isSettling = age <= settleMs;
  if (!isSettling && CAUSES.has(evidence.family) && !servicesOf(evidence).includes(incident.root)) {
    return false;
  }
  const { victims, suspects } = reach;
  const maySuspect =
    isSettling &&
    (evidence.family !== 'failed_calls' ||
      (age <= SAME_FAILURE_MS && (victims.has(evidence.service) || suspects.has(evidence.service))));
  return blamed(evidence).some((service) => victims.has(service) || (maySuspect && suspects.has(service)));
}

/** What a failing callee does not do to its caller: seen at a victim later on, it is a failure of its own. */
const CAUSES: ReadonlySet<Family> = new Set(['resource', 'self_time', 'log_stopped', 'network_gap', 'change']);
