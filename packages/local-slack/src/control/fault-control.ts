import type { Clock } from '../clock.ts';
import type { SocketMode } from '../delivery/socket-mode.ts';
import type { Faults, PendingFault } from '../faults/faults.ts';

/** What can be done to the whole of local Slack, and undone. */
export interface Disturbances {
  /** What goes wrong with calls and deliveries. */
  readonly faults: Faults;
  /** Cuts every Socket Mode connection without a word. */
  disconnectSockets(): void;
  /** Every Socket Mode connection is told that it will end in some seconds, or that it ends. */
  refreshSockets(reason?: 'warning' | 'refresh_requested'): void;
  /** Off, as the switch in the app's settings: connections are told and closed, and none is opened. */
  setSocketMode(isOn: boolean): void;
  /** Away: no request of an app is answered, no connection stands or is made. The page lives on. */
  setAway(isAway: boolean): void;
  awayFor(seconds: number): void;
  trouble(): Trouble;
  /** Ends everything that was set. */
  recover(): void;
}

/** What is wrong with local Slack now. */
export interface Trouble {
  readonly faults: readonly PendingFault[];
  readonly isAway: boolean;
  /** False when it was switched off. */
  readonly isSocketModeOn: boolean;
}

export function createDisturbances(deps: {
  faults: Faults;
  sockets: SocketMode | null;
  clock: Clock;
  onChange: () => void;
}): Disturbances {
  const { faults, sockets } = deps;
  let isAway = false;
  let isSocketModeOn = true;
  let callOffReturn = (): void => {};

  function setAway(away: boolean): void {
    callOffReturn();
    isAway = away;
    if (away) {
      sockets?.cut();
    }
    deps.onChange();
  }

  function setSocketMode(isOn: boolean): void {
    isSocketModeOn = isOn;
    if (!isOn) {
      sockets?.disconnect('link_disabled');
    }
    deps.onChange();
  }

  return {
    faults,
    disconnectSockets: () => sockets?.cut(),
    refreshSockets: (reason = 'refresh_requested') => sockets?.disconnect(reason),
    setSocketMode,
    setAway,
    awayFor(seconds) {
      setAway(true);
      callOffReturn = deps.clock.after(seconds * 1000, () => setAway(false));
    },
    trouble: () => ({ faults: faults.pending(), isAway, isSocketModeOn }),
    recover() {
      faults.clear();
      setAway(false);
      setSocketMode(true);
    },
  };
}
