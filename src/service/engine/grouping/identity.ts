import type { Evidence } from '../../core/evidence.ts';
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
