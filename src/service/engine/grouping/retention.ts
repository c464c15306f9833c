import { lastsUntil } from '../evidence.ts';
import type { CorrelationState } from './correlation-state.ts';
import { forgetOldCalls } from './failing-calls.ts';
import { forgetOld, type Incident } from './incident.ts';
import { removeIncident } from './incidents.ts';
import { remember } from './past.ts';
import { COOLDOWN_MS } from './periods.ts';

/** Evidence without an incident waits this long for one. */
const WAITING_MS = 60_000;
const SWEEP_MS = 30_000;
/** An incident with an open alert is kept this long in silence. After that, the sender has forgotten the alert. */
const OPEN_ALERT_MS = 7 * 86_400_000;
/** Evidence from before the end of the cooldown is still found for this long. */
const LEFT_OVER_MS = 70_000;
/** A silent incident stays in memory this long, beyond `GAP_MS`, so that its recovery is seen. */
const REMEMBERED_MS = 10 * 60_000;

/** Evicts old evidence, failing calls and incidents. */
export function sweep(state: CorrelationState, at: number): void {
  for (const [fingerprint, evidence] of state.waiting) {
    if (at - lastsUntil(evidence, evidence.at) > WAITING_MS) {
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
    if (at > keptUntil(incident)) {
      remember(state, incident);
      removeIncident(state.live, incident);
    } else if (at - incident.lastAt < SWEEP_MS) {
      // A silent incident keeps the evidence that it ended with.
      forgetOld(incident, at);
      state.stale.add(incident.number);
    }
  }
}

/** However old it is, an incident is kept while it fails. */
function keptUntil({ closedAt, reopenedAt, lastAt, openAlerts }: Incident): number {
  if (closedAt !== null) {
    return closedAt + COOLDOWN_MS + LEFT_OVER_MS;
  }
  const silentSince = Math.max(lastAt, reopenedAt ?? lastAt);
  return silentSince + (openAlerts.size > 0 ? OPEN_ALERT_MS : REMEMBERED_MS);
}
