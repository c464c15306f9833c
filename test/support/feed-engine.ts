import type { TelemetryItem } from '../../src/service/core/telemetry-item.ts';
import { advance, type EngineState, observe } from '../../src/service/engine/engine.ts';
import type { CorrelationEvent } from '../../src/service/engine/grouping/correlation-state.ts';
import type { Incident } from '../../src/service/engine/grouping/incident.ts';

/** Observes items, which are in order of time, and judges at the time of each what came before it. */
export function feedEngine(
  state: EngineState,
  items: readonly TelemetryItem[],
  until = items.at(-1)?.at ?? 0,
): CorrelationEvent[] {
  const events = items.flatMap((item) => {
    const told = advance(state, item.at);
    observe(state, item);
    return told;
  });
  return [...events, ...advance(state, until)];
}

/** Every incident that events tell of, those that became part of another included. */
export function incidentsIn(events: readonly CorrelationEvent[]): Incident[] {
  return [...new Map(events.map(({ incident }) => [incident.number, incident])).values()];
}
