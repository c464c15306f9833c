import type { Clock } from '../../runtime/clock.ts';
import type { Lane } from '../store/webhooks/webhook-store.ts';

/**
 * How many endpoints one process serves at a time. Failing endpoints have places of their own, so that they never take
 * those of healthy ones. An endpoint that has just begun to hang is still in the healthy lane: after `SLOW_MS` it moves to a
 * place for slow ones and the next healthy endpoint is served.
 */
const PLACES = { healthy: 16, slow: 64, failing: 8 } as const;
const SLOW_MS = 200;

export interface Lanes {
  /** Number of endpoints that may be served now in addition. */
  free(lane: Lane): number;
  /** Takes a place. @returns leaves it */
  enter(lane: Lane): () => void;
}

/** @param onFree called when a place becomes free */
export function createLanes(clock: Clock, onFree: () => void): Lanes {
  const used = { healthy: 0, slow: 0, failing: 0 };
  return {
    free: (lane) => PLACES[lane] - used[lane],
    enter(lane) {
      let place: keyof typeof used = lane;
      used[place] += 1;
      const cancel = clock.after(SLOW_MS, () => {
        if (place === 'healthy' && used.slow < PLACES.slow) {
          used[place] -= 1;
          place = 'slow';
          used[place] += 1;
          onFree();
        }
      });
      return () => {
        cancel();
        used[place] -= 1;
        onFree();
      };
    },
  };
}
