import type { Kysely } from 'kysely';
import { hasLeader } from './store/log/correlation-lease.ts';
import type { ServiceTables } from './store/schema/tables.ts';

/** A step takes a second, and one that fails is repeated after 30 s at most. */
const STILL_AFTER_MS = 60_000;

/** Tells whether correlation goes on: here, and in some process at all. */
export interface CorrelationPulse {
  /** A step of this process went through, whether or not there was something to do. */
  beat(): void;
  /** Time since then, or since the start. */
  ageMs(): number;
  /** null: correlation goes on. */
  problem(): Promise<string | null>;
}

export function createCorrelationPulse(db: Kysely<ServiceTables>, now: () => Date): CorrelationPulse {
  let beatAt = now().getTime();
  const ageMs = () => Math.max(0, now().getTime() - beatAt);
  return {
    beat() {
      beatAt = now().getTime();
    },
    ageMs,
    async problem() {
      if (ageMs() > STILL_AFTER_MS) {
        return `correlation has failed for ${Math.round(ageMs() / 1_000)} s, so signals open no incidents; see the log`;
      }
      const leads = await hasLeader(db).catch(() => null);
      if (leads === null) {
        return 'the state of correlation cannot be read';
      }
      return leads ? null : 'no process turns signals into incidents';
    },
  };
}
