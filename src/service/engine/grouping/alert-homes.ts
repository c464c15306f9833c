import type { Evidence } from '../../core/evidence.ts';
import { INHIBITED_STRENGTH } from './constants.ts';
import type { CorrelationState, Moment } from './correlation-state.ts';
import { follow } from './decisions.ts';
import type { Incident } from './incident.ts';
import type { LiveIncidents } from './incidents.ts';

/**
 * One alert is one incident. An alert is identified by its fingerprint, which contains its sender. While an incident that
 * has it is open, the alert returns to it, however long ago it was last seen. An incident that opens for it after that
 * one was closed continues it.
 */

/**
 * The open incident that has this alert; null: none has it, or the evidence is no alert. A symptom leaves the incident of
 * another service once that does not fail any more.
 */
export function findOpenHome({ byNumber, byFingerprint }: LiveIncidents, { origin, fingerprint, service }: Evidence) {
  const incident = origin === 'alert' ? byNumber.get(byFingerprint.get(fingerprint) ?? 0) : undefined;
  const isOpen = incident?.closedAt === null && (incident.root === service || incident.activity === 'failing');
  return isOpen ? incident : null;
}

/** Follows the open incidents of alerts again that correlation has forgotten. */
export function followHomes(state: CorrelationState, { evidence, graph }: Moment): void {
  for (const { home, fingerprint } of evidence) {
    if (home !== undefined && !state.live.byFingerprint.has(fingerprint)) {
      const holder = findHolder(state.live, home.number) ?? follow(state, home, graph);
      state.live.byFingerprint.set(fingerprint, holder.number);
    }
  }
}

/** The incident that another was merged into after the alert arrived. */
function findHolder({ byNumber }: LiveIncidents, number: number): Incident | undefined {
  return byNumber.has(number) ? undefined : [...byNumber.values()].find(({ absorbed }) => absorbed.has(number));
}

/**
 * While an alert fires, the alerts that it inhibits join its incident, and say nothing about the root. An alert that
 * has an open incident already stays there.
 */

/** Separates the evidence that must wait (`held`) until the alert that inhibits it has an incident. */
export function holdInhibited(
  { live, waiting }: CorrelationState,
  evidence: readonly Evidence[],
): { readonly now: readonly Evidence[]; readonly held: readonly Evidence[] } {
  const isAffected = ({ inhibitedBy, hasEnded }: Evidence) => inhibitedBy !== undefined && hasEnded !== true;
  if (!evidence.some(isAffected)) {
    return { now: evidence, held: [] };
  }
  const sources = [...evidence, ...waiting.values()].filter(({ hasEnded }) => hasEnded !== true);
  const keys = new Set(sources.flatMap(({ inhibits = [] }) => inhibits));
  const firing = findFiring(live);
  const isHeld = (one: Evidence) => {
    const home = findOpenHome(live, one);
    const isInhibited = (key: string) =>
      home === null ? keys.has(key) || firing.has(key) : firing.get(key) === home.number;
    return isAffected(one) && one.inhibitedBy?.some(isInhibited) === true;
  };
  return { now: evidence.filter((one) => !isHeld(one)), held: evidence.filter(isHeld) };
}

/** Gives held alerts the incident of what inhibits them. @returns them, to be placed */
export function joinInhibitors({ live }: CorrelationState, held: readonly Evidence[]): Evidence[] {
  const firing = findFiring(live);
  return held.map((evidence) => {
    const number = evidence.inhibitedBy?.map((key) => firing.get(key)).find((known) => known !== undefined);
    if (number === undefined) {
      return evidence;
    }
    live.byFingerprint.set(evidence.fingerprint, number);
    return { ...evidence, strength: INHIBITED_STRENGTH };
  });
}

/** Open incidents by what their firing alerts inhibit, the oldest first. */
function findFiring({ byNumber }: LiveIncidents): ReadonlyMap<string, number> {
  const firing = new Map<string, number>();
  for (const { number, closedAt, members, openAlerts, activity } of byNumber.values()) {
    for (const { evidence } of closedAt === null ? members.values() : []) {
      const { inhibits = [], fingerprint, hasEnded } = evidence;
      if (openAlerts.has(fingerprint) || (hasEnded === null && activity === 'failing')) {
        for (const key of inhibits.filter((each) => !firing.has(each))) {
          firing.set(key, number);
        }
      }
    }
  }
  return firing;
}
