import { isDeepStrictEqual } from 'node:util';
import type { TelemetryItem } from '../../src/service/core/telemetry-item.ts';
import { advance, createEngineState, type EngineState, observe } from '../../src/service/engine/engine.ts';
import { toSnapshot } from '../../src/service/engine/engine-state.ts';
import type { CorrelationEvent } from '../../src/service/engine/grouping/correlation-state.ts';
import type { Incident } from '../../src/service/engine/grouping/incident.ts';

/** What a new engine had seen, told and kept at a moment: most scenarios begin with the same healthy minutes. */
interface Moment {
  readonly items: readonly TelemetryItem[];
  readonly count: number;
  readonly kept: { readonly state: EngineState; readonly events: CorrelationEvent[] };
}

const MOMENT_EVERY_MS = 120_000;
const MOST_MOMENTS = 40;
const NEW = toSnapshot(createEngineState());
/** Oldest first. */
const moments: Moment[] = [];

/**
 * Observes items, which are in order of time, and judges at the time of each what came before it. A new engine goes on from
 * a copy of what an earlier one was after the same items.
 */
export function feedEngine(
  state: EngineState,
  items: readonly TelemetryItem[],
  until = items.at(-1)?.at ?? 0,
): CorrelationEvent[] {
  const isNew = toSnapshot(state) === NEW;
  const known = isNew ? findMoment(items) : undefined;
  const { state: past, events } = known === undefined ? { state, events: [] } : structuredClone(known.kept);
  Object.assign(state, past);
  const count = known?.count ?? 0;
  for (const [after, item] of items.slice(count).entries()) {
    const index = count + after;
    if (isNew && momentOf(item) > momentOf(items[index - 1] ?? item)) {
      moments.push({ items, count: index, kept: structuredClone({ state, events }) });
      moments.splice(0, moments.length - MOST_MOMENTS);
    }
    events.push(...advance(state, item.at));
    observe(state, item);
  }
  return [...events, ...advance(state, until)];
}

const momentOf = ({ at }: TelemetryItem): number => Math.floor(at / MOMENT_EVERY_MS);

/** The latest one before which an earlier engine saw the same items. */
function findMoment(items: readonly TelemetryItem[]): Moment | undefined {
  const shared = new Map<readonly TelemetryItem[], number>();
  for (const { items: seen } of moments) {
    shared.set(seen, shared.get(seen) ?? countSame(seen, items));
  }
  const [first] = moments
    .filter(({ items: seen, count }) => count <= (shared.get(seen) ?? 0))
    .toSorted((one, other) => other.count - one.count);
  return first;
}

function countSame(some: readonly TelemetryItem[], others: readonly TelemetryItem[]): number {
  const differing = some.findIndex((item, index) => !isDeepStrictEqual(item, others[index]));
  return differing === -1 ? some.length : differing;
}

/** Every incident that events tell of, those that became part of another included. */
export function incidentsIn(events: readonly CorrelationEvent[]): Incident[] {
  return [...new Map(events.map(({ incident }) => [incident.number, incident])).values()];
}
