import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { minutesToMilliseconds, secondsToMilliseconds } from '../../runtime/dates.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import type { MuteStore } from '../store/mutes/mute-store.ts';

const PERIOD_MS = secondsToMilliseconds(5);

/** Begins planned mutes, and notifies the incidents whose mute has ended. A mute ends by its time. */
export function createMuteEnd(deps: {
  readonly mutes: Pick<MuteStore, 'keepTime'>;
  readonly logger: Logger;
  readonly clock: Clock;
}): Loop {
  const { mutes, logger, clock } = deps;
  return createLoop({
    name: 'mute-end',
    async step() {
      await mutes.keepTime(clock.now());
      return PERIOD_MS;
    },
    retry: { firstMs: PERIOD_MS, longestMs: minutesToMilliseconds(1) },
    logger,
    clock,
  });
}
