import { join } from 'node:path';
import type { TelemetryItem } from '../../src/service/core/telemetry-item.ts';
import { advance, createEngineState, type EngineState, observe } from '../../src/service/engine/engine.ts';
import type { CorrelationEvent } from '../../src/service/engine/grouping/correlation-state.ts';
import type { Activity, Incident } from '../../src/service/engine/grouping/incident.ts';
import { notAhead } from '../../src/service/intake/time-window.ts';
import { inOrderOfArrival } from './arrival-order.ts';
import type { DataSet } from './data-set.ts';
import { normalise } from './normalise.ts';
import { type Rows, readRows } from './rows.ts';

/** One incident of a replay, as the referee reads it. */
export interface ReplayedIncident {
  readonly number: number;
  readonly opened_at: string;
  readonly ended_at?: string;
  readonly root_service: string;
  readonly services: readonly string[];
  readonly signals: number;
  readonly candidates: readonly { readonly service: string; readonly score: number }[];
  readonly confidence: number;
  readonly history: readonly { readonly at: string; readonly root_service: string; readonly confidence: number }[];
  /** When it was told to go on, to be quiet, to have recovered. */
  readonly activities: readonly { readonly at: string; readonly activity: Activity }[];
  /** Services from the root to the entry where people notice, once the engine tells them. */
  readonly path?: readonly string[];
  /** The one bad instance of the root, if requests tell. */
  readonly root_instance?: string;
  readonly previous?: number;
  readonly merged_into?: number;
}

const MAX_CANDIDATES = 10;

export interface Replay {
  readonly incidents: readonly ReplayedIncident[];
  /** First and last moment of the stream, in milliseconds. */
  readonly from: number;
  readonly to: number;
  /** What the engine knows at the end; for measuring its size. */
  readonly state: EngineState;
}

/** Replays the stream of a folder. */
export function replay({ folder }: DataSet): Promise<Replay> {
  return replayRows(readRows(join(folder, 'stream.ndjson.gz')));
}

interface Told {
  incident: Incident;
  readonly activities: { readonly at: string; readonly activity: Activity }[];
}

/**
 * Replays rows with a simulated clock, the time at which they are received. What is received at once is one report, as
 * intake takes it. Nobody acknowledges or closes anything.
 *
 * @param rows in order of arrival, or of their beginning where they do not tell when they arrived
 * @param senderOf who reports an item; by default one sender reports all
 */
export async function replayRows(
  rows: Rows,
  senderOf: (item: TelemetryItem) => string | null = () => null,
): Promise<Replay> {
  const state = createEngineState();
  const told = new Map<number, Told>();
  let from = Number.POSITIVE_INFINITY;
  let clock = 0;
  const take = (events: readonly CorrelationEvent[]) => {
    for (const { incident } of events) {
      const known = told.get(incident.number) ?? { incident, activities: [] };
      told.set(incident.number, known);
      known.incident = incident;
      if (known.activities.at(-1)?.activity !== incident.activity) {
        known.activities.push({ at: iso(clock), activity: incident.activity });
      }
    }
  };
  let batch: TelemetryItem[] = [];
  const observeBatch = () => {
    for (const item of notAhead(batch, new Date(clock))) {
      observe(state, item, senderOf(item));
    }
    batch = [];
  };
  for await (const { row, at } of inOrderOfArrival(rows)) {
    const receivedAt = Math.max(clock, at);
    if (receivedAt > clock) {
      observeBatch();
      clock = receivedAt;
      from = Math.min(from, clock);
      take(advance(state, clock));
    }
    batch.push(...[normalise(row)].filter((item) => item !== null));
  }
  observeBatch();
  const to = clock;
  clock += 600_000;
  take(advance(state, clock));
  const inOrder = [...told.values()].toSorted((a, b) => a.incident.number - b.incident.number);
  return { incidents: inOrder.map(present), from, to, state };
}

function present({ incident, activities }: Told): ReplayedIncident {
  const services = new Set([incident.root, ...[...incident.members.values()].map(({ evidence }) => evidence.service)]);
  return {
    number: incident.number,
    opened_at: iso(incident.openedAt),
    ended_at: iso(incident.lastAt),
    root_service: incident.root,
    services: [...services],
    signals: incident.members.size,
    candidates: incident.candidates.slice(0, MAX_CANDIDATES).map(({ service, score }) => ({ service, score })),
    confidence: incident.confidence,
    ...foundByRequests(incident),
    history: incident.history.map(({ at, root, confidence }) => ({ at: iso(at), root_service: root, confidence })),
    activities,
    ...(incident.previous === null ? {} : { previous: incident.previous }),
    ...(incident.mergedInto === null ? {} : { merged_into: incident.mergedInto }),
  };
}

/** What requests tell: the way from the root to where they enter, and the one instance that loses them. */
function foundByRequests({ members, root }: Incident): Pick<ReplayedIncident, 'path' | 'root_instance'> {
  const all = [...members.values()].filter(({ evidence }) => evidence.service === root && evidence.lost !== undefined);
  const [last] = all.toSorted((a, b) => (b.evidence.lost?.requests ?? 0) - (a.evidence.lost?.requests ?? 0));
  if (last?.evidence.lost === undefined) {
    return {};
  }
  const { instance, lost } = last.evidence;
  const path = lost.path.map(({ service }) => service);
  return { path, ...(instance === null ? {} : { root_instance: instance }) };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
