import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AlertItem } from '../../src/service/core/telemetry-item.ts';
import { fromSnapshot, toSnapshot } from '../../src/service/engine/engine-state.ts';
import { addCalls, type CallGraph, createCallGraph, neighboursAt } from '../../src/service/engine/graph/call-graph.ts';
import { createJudgingState } from '../../src/service/engine/judging/judging-state.ts';
import type { DataSet } from './data-set.ts';
import type { JudgedCase } from './judged-case.ts';
import { judgedCases } from './judged-cases.ts';
import { normalise } from './normalise.ts';
import { type Label, type Row, type Rows, readRows } from './rows.ts';
import { copyGraph, type JudgedItem, judgeWindow, learn } from './window.ts';

/** Judges every case of a data set, told its window and taught the baseline. */
export async function judgeCases(set: DataSet): Promise<JudgedCase[]> {
  switch (set.form) {
    case 'stream':
      return judgeStreamCases(set);
    case 'metric-cases':
      return judgeMetricCases(set);
    case 'judged-cases':
      return judgedCases(set);
  }
}

async function judgeStreamCases({ folder, labels }: DataSet): Promise<JudgedCase[]> {
  const [baseline, stream] = ['baseline.ndjson.gz', 'stream.ndjson.gz'].map((name) => readRows(join(folder, name)));
  return judgeWindows(labels, baseline ?? [], stream ?? []);
}

/**
 * Judges each label's window of a stream.
 *
 * @param baseline telemetry without faults, learnt before
 */
export async function judgeWindows(labels: readonly Label[], baseline: Rows, stream: Rows): Promise<JudgedCase[]> {
  const state = createJudgingState();
  const graph = createCallGraph();
  await learn(state, graph, items(baseline));
  const learnt = toSnapshot(state);
  const windows = labels.map((label) => ({
    label,
    from: Date.parse(label.from ?? ''),
    to: Date.parse(label.to ?? ''),
    items: [] as JudgedItem[],
  }));
  for await (const row of stream) {
    const at = Date.parse(row.timestamp);
    for (const window of windows.filter(({ from, to }) => at >= from && at <= to)) {
      window.items.push(...asItem(row));
    }
  }
  return windows.map(({ label, items: inWindow }) => {
    const calls = copyGraph(graph);
    const evidence = judgeWindow(fromSnapshot(learnt), calls, inWindow);
    return { label, evidence, graph: neighboursAt(calls, 0) };
  });
}

async function judgeMetricCases({ folder, labels }: DataSet): Promise<JudgedCase[]> {
  const learnt = new Map<string, string>();
  const judged: JudgedCase[] = [];
  for (const label of labels) {
    const baseline = label.baseline_file ?? '';
    if (!learnt.has(baseline)) {
      const state = createJudgingState();
      await learn(state, createCallGraph(), items(readRows(join(folder, baseline))));
      learnt.set(baseline, toSnapshot(state));
    }
    const graph = await readGraph(join(folder, label.graph_file ?? ''));
    const rows = [join(folder, label.before_file ?? ''), join(folder, label.signals_file ?? '')];
    const telemetry: JudgedItem[] = [];
    for (const file of rows) {
      for await (const item of items(readRows(file))) {
        telemetry.push(item);
      }
    }
    telemetry.push(alertOf(label));
    const inOrder = telemetry.toSorted((a, b) => a.at - b.at);
    const evidence = judgeWindow(fromSnapshot(learnt.get(baseline) ?? ''), graph, inOrder);
    judged.push({ label, evidence, graph: neighboursAt(graph, 0) });
  }
  return judged;
}

/** Somebody was told by an alert of the service at the edge. */
function alertOf({ alerting_service: service = '', inject_at: injectAt = '' }: Label): AlertItem {
  const about = { service, instance: null, fingerprint: 'alert', family: 'alert', peer: null, subject: '' } as const;
  return { kind: 'alert', ...about, at: Date.parse(injectAt), strength: 1, traceId: null, hasEnded: null };
}

async function readGraph(file: string): Promise<CallGraph> {
  const graph = createCallGraph();
  for (const [caller, callee] of JSON.parse(await readFile(file, 'utf8')) as [string, string][]) {
    addCalls(graph, '', { caller, callee, calls: 1, failed: 0 }, 0);
  }
  return graph;
}

async function* items(rows: Rows): AsyncGenerator<JudgedItem> {
  for await (const row of rows) {
    yield* asItem(row);
  }
}

function asItem(row: Row): JudgedItem[] {
  const item = normalise(row);
  return item === null || item.kind === 'change' ? [] : [item];
}
