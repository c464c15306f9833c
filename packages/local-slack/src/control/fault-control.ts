import type { Clock } from '../clock.ts';
import type { SocketMode } from '../delivery/socket-mode.ts';
import type { Faults, PendingFault } from '../faults/faults.ts';

/** Breaks local Slack in several ways, and repairs it. */
export interface FaultControl {
  /** Faults of single calls and deliveries. */
  readonly faults: Faults;
  /** Cuts every Socket Mode connection without a message. */
  disconnectSockets(): void;
  /** Sends `disconnect` to every Socket Mode connection. */
  refreshSockets(reason?: 'warning' | 'refresh_requested'): void;
  /** While away, no request of an app is answered and every connection is cut. The page still works. */
  setAway(isAway: boolean): void;
  awayFor(seconds: number): void;
  faultStatus(): FaultStatus;
  /** Repairs everything. */
  recover(): void;
}

export interface FaultStatus {
  readonly faults: readonly PendingFault[];
  readonly isAway: boolean;
}

export function createFaultControl(deps: {
  faults: Faults;
  sockets: SocketMode | null;
  clock: Clock;
  onChange: () => void;
}): FaultControl {
  const { faults, sockets } = deps;
  let isAway = false;
  let cancelReturn = (): void => {};

  function setAway(away: boolean): void {
    cancelReturn();
    isAway = away;
    if (away) {
      sockets?.cut();
    }
    deps.onChange();
  }

  return {
    faults,
    disconnectSockets: () => sockets?.cut(),
    refreshSockets: (reason = 'refresh_requested') => sockets?.disconnect(reason),
    setAway,
    awayFor(seconds) {
      setAway(true);
      cancelReturn = deps.clock.after(seconds * 1000, () => setAway(false));
    },
    faultStatus: () => ({ faults: faults.pending(), isAway }),
    recover() {
      faults.clear();
      setAway(false);
    },
  };
}
