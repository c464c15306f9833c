import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { edgesOf } from '../../src/service/engine/graph/call-graph.ts';
import { type Finding, thousands } from '../numbers.ts';
import type { DataSet } from './data-set.ts';
import { replayRows } from './online.ts';
import { type Row, readRows } from './rows.ts';

type Call = readonly [caller: string, callee: string];

/**
 * What a correlator for each component of the call graph could bring: incidents never cross components, so each could have
 * one, and all wait for that of the largest. A service that calls nobody is a component of its own.
 */
export async function measureComponents(set: DataSet): Promise<Finding[]> {
  const rowsOf = new Map<string, number>();
  if (set.form === 'stream') {
    const { state } = await replayRows(counted(set, 'stream.ndjson.gz', rowsOf));
    return [
      finding(
        'calls in the spans',
        rowsOf,
        edgesOf(state.graph).map(({ caller, callee }) => [caller, callee]),
      ),
    ];
  }
  const [label] = set.labels;
  if (label?.graph_file === undefined || label.signals_file === undefined) {
    throw new Error('this data set has no calls');
  }
  for await (const _row of counted(set, label.signals_file, rowsOf)) {
    // counted
  }
  const calls = JSON.parse(await readFile(join(set.folder, label.graph_file), 'utf8')) as Call[];
  return [finding('calls of its graph', rowsOf, calls)];
}

async function* counted({ folder }: DataSet, file: string, rowsOf: Map<string, number>): AsyncGenerator<Row> {
  for await (const row of readRows(join(folder, file))) {
    rowsOf.set(row.service, (rowsOf.get(row.service) ?? 0) + 1);
    yield row;
  }
}

function finding(what: string, rowsOf: ReadonlyMap<string, number>, calls: readonly Call[]): Finding {
  const components = componentsOf([...rowsOf.keys()], calls);
  const rows = components.map((services) => services.reduce((sum, service) => sum + (rowsOf.get(service) ?? 0), 0));
  const all = rows.reduce((sum, each) => sum + each, 0);
  const [largest] = components.toSorted((one, other) => other.length - one.length);
  return {
    what: `${components.length} components: ${what}`,
    measured: `${largest?.length} of ${rowsOf.size} services in one; ${thousands(Math.max(...rows))} rows in the largest`,
    baseline: `${thousands(all)} rows`,
    ratio: `at most x${(all / Math.max(...rows)).toFixed(2)}`,
    goal: null,
  };
}

export function componentsOf(services: readonly string[], calls: readonly Call[]): readonly (readonly string[])[] {
  const componentOf = new Map(services.map((service) => [service, new Set([service])]));
  for (const [caller, callee] of calls) {
    const [one, other] = [caller, callee].map((service) => componentOf.get(service) ?? new Set([service]));
    const joined = new Set([...(one ?? []), ...(other ?? [])]);
    for (const service of joined) {
      componentOf.set(service, joined);
    }
  }
  return [...new Set(componentOf.values())].map((component) => [...component]);
}
