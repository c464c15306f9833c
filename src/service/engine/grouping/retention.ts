import { lastsUntil } from '../evidence.ts';
import { COOLDOWN_MS, LEFT_OVER_MS, MINUTE_MS, OPEN_ALERT_MS, SWEEP_MS } from './constants.ts';
import type { CorrelationState } from './correlation-state.ts';
import { forgetOldCalls } from './failing-calls.ts';
import { forgetOld, type Incident } from './incident.ts';
import { removeIncident } from './incidents.ts';
import { remember } from './past.ts';

/** Evicts old evidence, failing calls and incidents. */
export function sweep(state: CorrelationState, at: number): void {
  for (const [fingerprint, evidence] of state.waiting) {
    if (at - lastsUntil(evidence, evidence.at) > MINUTE_MS) {
      state.waiting.delete(fingerprint);
    }
  }
  for (const fingerprint of state.waitingSince.keys()) {
    if (!state.waiting.has(fingerprint)) {
      state.waitingSince.delete(fingerprint);
    }
  }
  if (at - state.sweptAt < SWEEP_MS) {
    return;
  }
  state.sweptAt = at;
  forgetOldCalls(state.live.failingCalls, at);
  for (const incident of state.live.byNumber.values()) {
    if (at > keptUntil(incident) && !isTakenForFailing(incident)) {
      remember(state, incident);
      removeIncident(state.live, incident);
    } else if (at - incident.lastAt < SWEEP_MS) {
      // A silent incident keeps the evidence that it ended with.
      forgetOld(incident, at);
      state.stale.add(incident.number);
    }
  }
}

/** After a pause of correlation, people are told that it does not fail any more before it is forgotten. */
function isTakenForFailing({ activity, closedAt, openAlerts }: Incident): boolean {
  return activity === 'failing' && closedAt === null && openAlerts.size === 0;
}

/** However old it is, an incident is kept while it fails. */
function keptUntil({ closedAt, cooldownMs, reopenedAt, lastAt, openAlerts }: Incident): number {
  if (closedAt !== null) {
    return closedAt + cooldownMs + LEFT_OVER_MS;
  }
  const silentSince = Math.max(lastAt, reopenedAt ?? lastAt);
  return silentSince + (openAlerts.size > 0 ? OPEN_ALERT_MS : COOLDOWN_MS);
}
