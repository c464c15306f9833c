import { type Declare, declare, SOMEBODY } from '../core/by-hand.ts';
import { declaredSignal } from '../core/declared-signal.ts';
import { BackPressureError } from '../core/errors.ts';
import { reopen } from '../core/incident-changes.ts';
import type { IncidentChange } from '../store/incidents/change-incident.ts';
import type { Regrouping } from '../store/incidents/regrouping.ts';
import type { SignalStore } from '../store/signals/signal-store.ts';
import { waitForIncident } from '../store/signals/wait-for-incident.ts';
import type { Intake } from './intake.ts';

/** Upper bound for correlation to open the incident. */
const LONGEST_WAIT_MS = 10_000;

export function createDeclarations(deps: {
  readonly accept: Intake['accept'];
  readonly signals: Pick<SignalStore, 'findNewest'>;
  readonly regrouping: Pick<Regrouping, 'reopen'>;
  readonly now: () => Date;
}): Declare {
  const { accept, signals, regrouping, now } = deps;

  return async (request) => {
    const signal = declaredSignal(request, now());
    // What an earlier attempt stored, whose answer was lost or too late.
    const earlier = await signals.findNewest(signal.fingerprint);
    if (earlier === null || earlier.incidentId === null) {
      await accept({ signals: [signal] });
    }
    const id = await waitForIncident(signals, signal.fingerprint, LONGEST_WAIT_MS);
    if (!id) {
      throw new BackPressureError('the declaration is stored, and its incident is not open yet: ask again');
    }
    const change: IncidentChange = (before) => {
      // A failure soon after a closing joins the closed incident, so a declaration reopens that one. A closing after it counts.
      const isOutdated = before.closing !== null && earlier !== null && before.closing.at > earlier.receivedAt;
      const open = isOutdated ? before : reopen(before, request.actor ?? SOMEBODY, request.title, now());
      return declare(open, request, now());
    };
    return regrouping.reopen(id, change, now());
  };
}
