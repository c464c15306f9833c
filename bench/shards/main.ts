import { parseArgs } from 'node:util';
import { renderTable } from '../correlation/table.ts';
import { measureCase } from '../lab/measure-case.ts';
import { createRandom, logBetween } from '../lab/random.ts';
import { buildSystem } from '../lab/systems/build-system.ts';
import type { System } from '../lab/systems/system.ts';
import { visitsOf } from '../lab/systems/visits.ts';
import { drawCase, type WorldSettings } from '../lab/worlds.ts';
import { thousands } from '../numbers.ts';

/**
 * How far correlation could be divided among cores, by arithmetic: generated systems of several organisations, their
 * connected components, the work of each, and the measured cost of a row. It simulates the division, which is not built.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    tenants: { type: 'string', default: '40' },
    systems: { type: 'string', default: '5' },
  },
});
const SEED = Number(values.seed);
const TENANTS = Number(values.tenants);
const SYSTEMS = Number(values.systems);
/** Services of a system. */
const SERVICES = [5, 120] as const;
/** Rows a second of a service that is called once per request: busy and idle systems. */
const REQUESTS_A_SECOND = [1, 1_000] as const;
const SHARDS = [1, 2, 4, 8, 16, 32, 64];
/** Cases whose cost is measured, one after the other. */
const MEASURED = 3;

/** A part of the telemetry that needs no other part, with its rows a second. */
interface Part {
  readonly tenant: number;
  readonly services: number;
  readonly rows: number;
}

/** Parts of a system between which there are no calls, by union of caller and callee. Queues and databases connect, too. */
function componentsOf(system: System, tenant: number, requests: number): Part[] {
  const parent = new Map<number, number>();
  const rootOf = (id: number): number => {
    const above = parent.get(id) ?? id;
    return above === id ? id : rootOf(above);
  };
  for (const { place, calls } of system.operations) {
    for (const { to, queue } of calls) {
      parent.set(rootOf(place.id), rootOf(to.place.id));
      parent.set(rootOf(place.id), rootOf(queue?.place.id ?? to.place.id));
    }
  }
  const visits = visitsOf(system, ({ place }) => place);
  const parts = new Map<number, { services: number; rows: number }>();
  for (const place of system.places) {
    const part = parts.get(rootOf(place.id)) ?? { services: 0, rows: 0 };
    const spans = place.habit.spans === 'none' ? 0 : 1 + place.habit.steps.length;
    const isService = place.kind === 'service';
    parts.set(rootOf(place.id), {
      services: part.services + (isService ? 1 : 0),
      rows: part.rows + requests * (visits.get(place) ?? 0) * (isService ? spans + 1 : 1),
    });
  }
  return [...parts.values()].filter(({ rows }) => rows > 0).map((part) => ({ ...part, tenant }));
}

function drawParts(): Part[] {
  const traffic = createRandom(`shards/${SEED}`);
  return Array.from({ length: TENANTS }, (_, tenant) =>
    Array.from({ length: SYSTEMS }, (__, index) => {
      const seed = `shards/${SEED}/${tenant}/${index}`;
      const family = (tenant + index) % 2 === 0 ? 'open' : 'held';
      const system = buildSystem({ seed, family, services: SERVICES, isHarsh: false, adjust: {} });
      return componentsOf(system, tenant, logBetween(traffic, ...REQUESTS_A_SECOND));
    }),
  ).flat(2);
}

/** Rows of the fullest of n shards, when the largest parts are placed first, each on the emptiest shard. */
function fullest(parts: readonly number[], shards: number): number {
  const loads = Array.from({ length: shards }, () => 0);
  for (const rows of parts.toSorted((one, other) => other - one)) {
    const emptiest = loads.indexOf(Math.min(...loads));
    loads[emptiest] = (loads[emptiest] ?? 0) + rows;
  }
  return Math.max(...loads);
}

/** Microseconds of one core that the engine takes for a row. */
async function costOfRow(): Promise<number> {
  const settings: WorldSettings = {
    seed: SEED,
    family: 'open',
    systems: MEASURED,
    healthy: 0,
    minutes: 30,
    services: [8, 40],
    mostRows: 60_000,
    kinds: [],
  };
  let [rows, ms] = [0, 0];
  for (let index = 0; index < MEASURED; index += 1) {
    const measured = await measureCase(drawCase(settings, index), { isTold: false, hasOwnKeys: false });
    rows += measured.rows;
    ms += measured.engineMs;
  }
  return (1_000 * ms) / rows;
}

const parts = drawParts();
const total = parts.reduce((sum, { rows }) => sum + rows, 0);
const byTenant = [...Map.groupBy(parts, ({ tenant }) => tenant).values()].map((group) =>
  group.reduce((sum, { rows }) => sum + rows, 0),
);
const byComponent = parts.map(({ rows }) => rows);
const cost = await costOfRow();
const perCore = 1_000_000 / cost;
const largest = (sizes: readonly number[]) => `${((100 * Math.max(...sizes)) / total).toFixed(1)} %`;
process.stdout.write(
  `${TENANTS} tenants with ${SYSTEMS} systems each: ${parts.length} components of up to ` +
    `${Math.max(...parts.map(({ services }) => services))} services. ` +
    `The largest component has ${largest(byComponent)} of the rows, the largest tenant ${largest(byTenant)}.\n` +
    `The engine takes ${cost.toFixed(1)} µs of a core for a row: one correlator judges ${thousands(perCore)} rows/s.\n\n`,
);
const rate = (sizes: readonly number[], shards: number) => (perCore * total) / fullest(sizes, shards);
const cells = (sizes: readonly number[], shards: number) => [
  `${(rate(sizes, shards) / perCore).toFixed(1)}x`,
  `${thousands(rate(sizes, shards))}/s`,
];
process.stdout.write(
  `${renderTable([
    ['shards', 'by tenant', 'rows', 'by component', 'rows'],
    ...SHARDS.map((shards) => [String(shards), ...cells(byTenant, shards), ...cells(byComponent, shards)]),
  ])}\n`,
);
