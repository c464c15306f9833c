import type { SignalBatch } from '../core/signal.ts';
import type { LogItem, SpanItem, TelemetryItem } from '../core/telemetry-item.ts';

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

/**
 * Moves what is ahead of `now` back to it. The spans of one service in a trace are moved as a whole, since its clock is wrong
 * by the same time for all of it: its spans keep their order and distance.
 */
export function notAhead(items: readonly TelemetryItem[], now: Date): readonly TelemetryItem[] {
  const latest = now.getTime();
  if (!items.some(({ at }) => at > latest)) {
    return items;
  }
  const aheadMs = new Map<string, number>();
  for (const item of items) {
    const key = clockOf(item);
    aheadMs.set(key, Math.max(aheadMs.get(key) ?? 0, item.at - latest));
  }
  return items.map((item) => {
    const ms = aheadMs.get(clockOf(item)) ?? 0;
    return ms === 0 ? item : { ...item, at: Math.min(latest, item.at - (hasTrace(item) ? ms : 0)) };
  });
}

function clockOf(item: TelemetryItem): string {
  return hasTrace(item) ? `${item.service}|${item.traceId}` : item.kind;
}

function hasTrace(item: TelemetryItem): item is (SpanItem | LogItem) & { traceId: string } {
  return (item.kind === 'span' || item.kind === 'log') && item.traceId !== null;
}
