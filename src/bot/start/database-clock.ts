import type { Clock } from '../../runtime/clock.ts';
import { createRemoteClock } from '../../runtime/remote-clock.ts';
import type { InstallationStore } from './installation.ts';

/** Observations of all processes are compared, so they need the same clock: that of the database. */
export interface DatabaseClock extends Clock {
  /** Compares it with ours. */
  sync(): Promise<void>;
}

export function createDatabaseClock(installation: Pick<InstallationStore, 'now'>, clock: Clock): DatabaseClock {
  const { now } = clock;
  const remote = createRemoteClock(now);
  return {
    now: () => remote.now(),
    after: (ms, work) => clock.after(ms, work),
    async sync() {
      const sentAt = now();
      remote.observe(await installation.now(), sentAt, now());
    },
  };
}
