import { setTimeout } from 'node:timers/promises';
import { subSeconds } from 'date-fns/subSeconds';
import { type Declare, declare } from '../core/by-hand.ts';
import { declaredSignal } from '../core/declared-signal.ts';
import { BackPressureError } from '../core/errors.ts';
import { signalCountOf } from '../core/incident.ts';
import { reopen } from '../core/incident-changes.ts';
import type { IncidentChange } from '../store/incident-store.ts';
import type { Regrouping } from '../store/regrouping.ts';
import type { SignalStore } from '../store/signal-store.ts';
import type { Intake } from './intake.ts';

/** Correlation takes a moment, and longer while it catches up. */
const LONGEST_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 50;

export function createDeclarations(deps: {
  readonly accept: Intake['accept'];
  readonly signals: Pick<SignalStore, 'findIncident'>;
  readonly regrouping: Pick<Regrouping, 'reopen'>;
  readonly now: () => Date;
}): Declare {
  const { accept, signals, regrouping, now } = deps;

  async function opened(fingerprint: string): Promise<string> {
    const endMs = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const id = await signals.findIncident(fingerprint);
      if (id !== null) {
        return id;
      }
      if (performance.now() > endMs) {
        throw new BackPressureError('the declaration is stored, and its incident is not open yet: ask again');
      }
      await setTimeout(LOOK_EVERY_MS);
    }
  }

  return async (request) => {
    const startedAt = now();
    const signal = declaredSignal(request, startedAt);
    await accept({ signals: [signal] });
    const id = await opened(signal.fingerprint);
    const change: IncidentChange = (before) => {
      const isOpenedByIt = signalCountOf(before) <= 1 && before.openedAt >= subSeconds(startedAt, 1);
      // What fails soon after a closing stays part of the closed incident, unless somebody says that it fails.
      const open = reopen(before, request.user ?? 'somebody', request.title, now());
      return declare(open, request, isOpenedByIt, now());
    };
    return regrouping.reopen(id, change, now());
  };
}
