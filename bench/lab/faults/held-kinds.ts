import { between, pick } from '../random.ts';
import type { Place } from '../systems/system.ts';
import type { FaultKind } from './kinds.ts';

const isService = ({ kind }: Place) => kind === 'service';

/** Kinds of the family that nobody tunes on, besides all others. */
export const HELD_KINDS: Readonly<Record<string, FaultKind>> = {
  'flapping process': {
    suits: isService,
    draw: (random) => {
      const rounds = Math.round(between(random, 4, 9));
      return (progress) =>
        (progress * rounds) % 1 < 0.5 ? { refusedShare: 1, reason: 'connect: connection refused' } : {};
    },
  },
  stutter: {
    suits: isService,
    draw: (random) => {
      const rounds = Math.round(between(random, 8, 16));
      const pauseMs = between(random, 900, 3_000);
      return (progress) => ((progress * rounds) % 1 < 0.3 ? { selfMs: pauseMs } : {});
    },
  },
  'half-open connections': {
    suits: isService,
    draw: (random) => {
      const hangingShare = between(random, 0.25, 0.6);
      return () => ({ hangingShare });
    },
  },
  'one slow instance': {
    suits: ({ kind, instances }) => kind === 'service' && instances.length > 1,
    hitsOneInstance: true,
    draw: (random) => {
      const selfMs = between(random, 400, 2_000);
      return () => ({ selfMs });
    },
  },
  'one dead instance': {
    suits: ({ kind, instances }) => kind === 'service' && instances.length > 1,
    hitsOneInstance: true,
    draw: () => () => ({ refusedShare: 1, reason: 'no route to host' }),
  },
  'rate limited': {
    suits: ({ kind }) => kind === 'vendor' || kind === 'database',
    draw: (random) => {
      const failedShare = between(random, 0.3, 0.9);
      const reason = pick(random, ['HTTP 503 slow down', 'quota exceeded', 'throughput exceeded']);
      return () => ({ failedShare, reason });
    },
  },
};
