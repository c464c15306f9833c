import type { Label, Row } from '../correlation/rows.ts';
import type { Fault } from './faults/fault.ts';
import { KINDS } from './faults/kinds.ts';
import { planFaults } from './faults/plan.ts';
import { iso } from './simulation/emit.ts';
import { simulate } from './simulation/simulate.ts';
import type { Truth } from './simulation/truths.ts';
import type { Adjustments } from './systems/adjustments.ts';
import { buildSystem } from './systems/build-system.ts';
import type { System } from './systems/system.ts';
import { rowsPerRequest } from './systems/visits.ts';
import type { Family } from './vocabulary/vocabulary.ts';

export interface WorldSettings {
  readonly seed: number;
  readonly family: Family;
  readonly systems: number;
  /** Systems without faults besides. */
  readonly healthy: number;
  /** Length of each, warm-up included. */
  readonly minutes: number;
  readonly services: readonly [number, number];
  /** Rows of a system at most, about: more traffic is thinned out. */
  readonly mostRows: number;
  /** Names of kinds; empty: all. */
  readonly kinds: readonly string[];
  readonly adjust?: Adjustments;
}

/** A generated system with its faults, ready to be replayed. */
export interface LabCase {
  readonly system: System;
  readonly faults: readonly Fault[];
  /** The telemetry, made anew each time that it is asked for. */
  readonly run: () => { readonly rows: Iterable<Row>; readonly labels: () => Label[] };
  /** The same system an hour before, without faults. */
  readonly baseline: () => Iterable<Row>;
}

export const WARM_UP_MINUTES = 15;
const START = Date.parse('2026-03-02T06:00:00Z');
const MINUTE_MS = 60_000;
/** Share of the requests of its time that a fault harms at least to be an outage for somebody. */
const HARMFUL_SHARE = 0.02;

/** Every second system is harsh (nights, skewed clocks, sampling, late spans), but for those of scenarios. */
export function drawCase(settings: WorldSettings, index: number): LabCase {
  const { seed, family, services, minutes, kinds, mostRows, systems, adjust } = settings;
  const built = buildSystem({
    seed: `${seed}.${index}`,
    family,
    services,
    isHarsh: index % 2 === 1 && adjust === undefined,
    adjust: adjust ?? {},
  });
  const most = mostRows / (minutes * 60) / rowsPerRequest(built);
  const system = { ...built, traffic: { ...built.traffic, perSecond: Math.min(most, built.traffic.perSecond) } };
  const names = kinds.length === 0 ? Object.keys(KINDS[family]) : kinds;
  const faults =
    index >= systems
      ? []
      : planFaults(system, {
          startedAt: START,
          warmUpMs: WARM_UP_MINUTES * MINUTE_MS,
          lengthMs: minutes * MINUTE_MS,
          kinds: names,
          firstKind: Math.floor((index * names.length) / systems),
        });
  return {
    system,
    faults,
    run: () => {
      const { rows, truths } = simulate(system, faults, START, START + minutes * MINUTE_MS);
      return { rows, labels: () => truths().map(labelOf) };
    },
    baseline: () => simulate(system, [], START - 60 * MINUTE_MS, START - 30 * MINUTE_MS, 'baseline').rows,
  };
}

function labelOf({ fault, requests, harmed, harmedInSample, path }: Truth): Label {
  const { id, kind, place, instance, from, to, arrangement } = fault;
  const rootInstance = instance === null ? undefined : place.instances[instance];
  return {
    case: `${id + 1}`,
    root_service: place.name,
    ...(rootInstance === undefined ? {} : { root_instance: rootInstance }),
    fault: kind,
    inject_at: iso(from),
    end_at: iso(to),
    from: iso(from),
    to: iso(to),
    path,
    is_harmful: harmed > 2 && harmed / Math.max(requests, 1) >= HARMFUL_SHARE,
    arrangement,
    harmed_in_telemetry: harmedInSample,
  };
}
