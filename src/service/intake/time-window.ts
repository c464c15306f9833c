import type { SignalBatch } from '../core/signal.ts';
import type { TelemetryItem } from '../core/telemetry-item.ts';

/** How far the times in telemetry may be from the time of its arrival, in milliseconds. */
export interface TimeWindow {
  /** Older telemetry says nothing about now. */
  readonly pastMs: number;
  /** The clock of the sender is wrong beyond this; what it sends is taken as of now. */
  readonly aheadMs: number;
}

export const DEFAULT_TIME_WINDOW: TimeWindow = { pastMs: 15 * 60_000, aheadMs: 2 * 60_000 };

/** How much telemetry of a batch was outside the window. */
export interface OutOfTime {
  readonly past: number;
  readonly ahead: number;
}

export function countOutOfTime({ telemetry = [] }: SignalBatch, now: Date, window: TimeWindow): OutOfTime {
  const count = { past: 0, ahead: 0 };
  for (const { at } of telemetry) {
    if (isPast(at, now, window)) {
      count.past += 1;
    } else if (at > now.getTime() + window.aheadMs) {
      count.ahead += 1;
    }
  }
  return count;
}

/**
 * Drops telemetry that is too old, so that it cannot move the engine's clock. An old alert moves to the start of the
 * window, since it is a statement about now.
 *
 * @param items none is ahead of `now`
 */
export function keepInTime(items: readonly TelemetryItem[], now: Date, window: TimeWindow): readonly TelemetryItem[] {
  const least = now.getTime() - window.pastMs;
  if (!items.some(({ at }) => isPast(at, now, window))) {
    return items;
  }
  return items.flatMap((item) => {
    if (!isPast(item.at, now, window)) {
      return [item];
    }
    return item.kind === 'alert' ? [{ ...item, at: least }] : [];
  });
}

/** True for a time that is not a number, too. */
function isPast(at: number, now: Date, { pastMs }: TimeWindow): boolean {
  return !(at >= now.getTime() - pastMs);
}
