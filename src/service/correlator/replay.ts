import type { Evidence } from '../core/telemetry-item.ts';
import { advance, close, correlateAlerts, type EngineState, obey, observe } from '../correlation/engine.ts';
import type { CorrelationEvent } from '../correlation/grouping/correlation-state.ts';
import { SLOT_MS } from '../correlation/judging/tally.ts';
import type { LogEntry } from '../store/telemetry-log.ts';

/** Relatives of a span may be sent this much later than the span itself. */
const SENDER_DELAY_MS = 1_000;

/** Whether a tick at `now` judges a slot that the one at `tickedAt` did not. */
export function isSlotOver(tickedAt: number, now: number): boolean {
  return slotAt(now) > slotAt(tickedAt);
}

function slotAt(at: number): number {
  return Math.floor((at - SENDER_DELAY_MS) / SLOT_MS);
}

/** What the entries of the log led to. */
export interface Outcome {
  readonly events: readonly CorrelationEvent[];
  readonly evidence: readonly Evidence[];
}

/** Gives entries of the log to the engine. The same entries always lead to the same state and outcome. */
export function replay(state: EngineState, entries: readonly LogEntry[]): Outcome {
  const evidence: Evidence[] = [];
  const events = entries.flatMap((entry): CorrelationEvent[] => {
    if (entry.kind === 'telemetry') {
      for (const { sender, items } of entry.reports) {
        for (const item of items) {
          observe(state, item, sender);
        }
      }
      return [];
    }
    if (entry.kind === 'decision') {
      return obey(state, entry.decision);
    }
    const { at, closed } = entry.tick;
    for (const { number, at: closedAt } of closed) {
      close(state, number, closedAt);
    }
    const collect = (found: readonly Evidence[]) => {
      evidence.push(...found);
    };
    const judged = advance(state, at - SENDER_DELAY_MS, undefined, collect);
    return [...judged, ...correlateAlerts(state, at, undefined, collect)];
  });
  return { events, evidence };
}
