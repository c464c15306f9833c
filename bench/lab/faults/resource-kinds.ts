import { between } from '../random.ts';
import type { Place } from '../systems/system.ts';
import type { FaultKind } from './kinds.ts';

const isService = ({ kind }: Place) => kind === 'service';

/** Faults in which a service runs out of something. */
export const RESOURCE_KINDS: Readonly<Record<string, FaultKind>> = {
  'CPU saturated': {
    suits: isService,
    draw: (random) => {
      const selfFactor = between(random, 3, 12);
      const selfMs = between(random, 10, 80);
      return () => ({ selfFactor, selfMs, cpu: 0.97 });
    },
  },
  'memory until OOM': {
    suits: isService,
    // Grows twice: each time it pauses ever longer, is killed, and starts for a while.
    draw: (random) => {
      const downShare = between(random, 0.12, 0.3);
      return (progress) => {
        const round = (progress * 2) % 1;
        const isDown = round > 1 - downShare;
        return isDown
          ? { refusedShare: 1, reason: 'connect ECONNREFUSED', memory: 0.05 }
          : { selfFactor: 1 + 6 * round ** 3, memory: 0.5 + 0.49 * Math.min(1, round / (1 - downShare)) };
      };
    },
  },
  'disk full': {
    suits: isService,
    draw: (random) => {
      const failedShare = between(random, 0.3, 0.8);
      const lines = [{ perMinute: between(random, 6, 60), text: 'ERROR write failed: no space left on device' }];
      return () => ({ failedShare, isLogged: true, reason: 'no space left on device', disk: 1, lines });
    },
  },
  'queue backlog': {
    suits: (place, { operations }) =>
      isService(place) &&
      operations.some(({ calls }) => calls.some((call) => call.queue !== null && call.to.place === place)),
    draw: (random) => {
      const most = between(random, 20_000, 90_000);
      return (progress) => ({ backlogMs: most * progress, selfFactor: 4, cpu: 0.9 });
    },
  },
};
