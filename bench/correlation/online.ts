import { join } from 'node:path';
import { advance, createEngineState, observe } from '../../src/service/correlation/engine.ts';
import type { CorrelationEvent } from '../../src/service/correlation/grouping/correlation-state.ts';
import type { Incident } from '../../src/service/correlation/grouping/incident.ts';
import type { DataSet } from './data-set.ts';
import { asItem } from './offline.ts';
import { readRows } from './rows.ts';

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
  readonly previous?: number;
  readonly merged_into?: number;
}

const MAX_CANDIDATES = 10;

export interface Replay {
  readonly incidents: readonly ReplayedIncident[];
  /** First and last moment of the stream, in milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** Replays a stream with a simulated clock. Nobody acknowledges or closes anything. */
export async function replay({ folder }: DataSet): Promise<Replay> {
  const state = createEngineState();
  const incidents = new Map<number, Incident>();
  const take = (events: readonly CorrelationEvent[]) => {
    for (const { incident } of events) {
      incidents.set(incident.number, incident);
    }
  };
  let from = Number.POSITIVE_INFINITY;
  let clock = 0;
  for await (const row of readRows(join(folder, 'stream.ndjson.gz'))) {
    clock = Math.max(clock, Date.parse(row.timestamp));
    from = Math.min(from, clock);
    take(advance(state, clock));
    for (const item of asItem(row)) {
      observe(state, item);
    }
  }
  take(advance(state, clock + 600_000));
  const inOrder = [...incidents.values()].toSorted((a, b) => a.number - b.number);
  return { incidents: inOrder.map(present), from, to: clock };
}

function present(incident: Incident): ReplayedIncident {
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
    history: incident.history.map(({ at, root, confidence }) => ({ at: iso(at), root_service: root, confidence })),
    ...(incident.previous === null ? {} : { previous: incident.previous }),
    ...(incident.mergedInto === null ? {} : { merged_into: incident.mergedInto }),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
