import { between, type Random } from '../random.ts';
import type { Place } from '../systems/system.ts';
import type { Effect } from './fault.ts';
import type { FaultKind } from './kinds.ts';

const isService = ({ kind }: Place) => kind === 'service';

/** Faults in which a service takes longer for its own work. */
export const SLOW_KINDS: Readonly<Record<string, FaultKind>> = {
  'slow by 0.1 s': { suits: isService, draw: (random) => slow(between(random, 80, 150)) },
  'slow by 1 s': { suits: isService, draw: (random) => slow(between(random, 700, 1_500)) },
  'creeping slowness': {
    suits: isService,
    draw: (random) => {
      const most = between(random, 300, 1_200);
      return (progress) => ({ selfMs: most * progress });
    },
  },
  'lock contention': {
    suits: isService,
    draw: (random) => {
      const waitMs = between(random, 150, 600);
      const failedShare = between(random, 0.02, 0.15);
      return () => ({ selfMs: waitMs, failedShare, isLogged: true, reason: 'could not obtain lock within timeout' });
    },
  },
  'pool exhausted': {
    suits: isService,
    draw: (random: Random): (() => Partial<Effect>) => {
      const waitMs = between(random, 200, 900);
      const failedShare = between(random, 0.2, 0.6);
      const lines = [{ perMinute: between(random, 2, 20), text: 'WARN connection pool: all {n} connections in use' }];
      return () => ({
        selfMs: waitMs,
        failedShare,
        isLogged: true,
        reason: 'timed out waiting for a connection',
        lines,
      });
    },
  },
  'traffic surge': {
    suits: isService,
    draw: (random) => {
      const surge = between(random, 2, 4);
      const waitMs = between(random, 150, 700);
      return () => ({ surge, selfMs: waitMs, failedShare: 0.05, reason: 'too many requests in flight', cpu: 0.96 });
    },
  },
};

function slow(ms: number): () => Partial<Effect> {
  return () => ({ selfMs: ms });
}
