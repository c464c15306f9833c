import type { Evidence } from '../../src/service/core/evidence.ts';
import { correlateEvidence, createEngineState, type EngineState } from '../../src/service/engine/engine.ts';
import { addCalls } from '../../src/service/engine/graph/call-graph.ts';
import type { CorrelationEvent } from '../../src/service/engine/grouping/correlation-state.ts';
import type { Activity, Incident } from '../../src/service/engine/grouping/incident.ts';

export const MINUTE = 60_000;
export const SLOT = 5_000;
export const START = Date.parse('2026-01-01T00:00:00Z');

/** Correlates evidence on a simulated clock, in minutes. Slots without evidence are correlated as well, as in the pipeline. */
export function createCorrelatedSystem() {
  const state: EngineState = createEngineState();
  const events: CorrelationEvent[] = [];
  let placed = 0;
  let now = START;
  const activities: Activity[] = [];
  const correlateAt = (at: number, found: readonly Evidence[]) => {
    now = at;
    placed += found.length;
    const inTime = found.map((one) => ({ ...one, at }));
    const told = correlateEvidence(state, at, inTime);
    events.push(...told);
    activities.push(...told.flatMap(({ type, incident }) => (type === 'activity' ? [incident.activity] : [])));
  };
  const place = (at: number, found: readonly Evidence[]) => {
    while (now + SLOT < at) {
      correlateAt(now + SLOT, []);
    }
    correlateAt(at, found);
  };
  return {
    state,
    placed: () => placed,
    at: (minute: number, found: readonly Evidence[]) => place(START + minute * MINUTE, found),
    /** The same evidence in every slot. */
    during(from: number, to: number, found: readonly Evidence[]) {
      for (let at = START + from * MINUTE + SLOT; at <= START + to * MINUTE; at += SLOT) {
        place(at, found);
      }
    },
    /** Nothing is correlated until then, as when no process runs. */
    pauseUntil: (minute: number) => correlateAt(START + minute * MINUTE, []),
    /** Every change of activity that was told, oldest first. */
    activities: (): readonly Activity[] => activities,
    call: (caller: string, callee: string) =>
      addCalls(state.graph, 'key', { caller, callee, calls: 10, failed: 0 }, now),
    incidents: (): Incident[] =>
      [...new Map(events.map(({ incident }) => [incident.number, incident])).values()].filter(
        ({ mergedInto }) => mergedInto === null,
      ),
    told: (type: 'merged' | 'split') =>
      events.flatMap((event) => {
        if (event.type === 'merged' && type === 'merged') {
          return [`${event.incident.number} into ${event.into.number}`];
        }
        return event.type === 'split' && type === 'split' ? [`${event.incident.number} from ${event.from.number}`] : [];
      }),
  };
}
