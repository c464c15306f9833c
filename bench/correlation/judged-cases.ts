import { join } from 'node:path';
import type { AlertItem, Family } from '../../src/service/core/telemetry-item.ts';
import { addCalls, type CallGraph, createCallGraph, neighboursAt } from '../../src/service/engine/graph/call-graph.ts';
import { createBystanders, discountBystander, learnBystanders } from '../../src/service/engine/grouping/past.ts';
import { createJudgingState } from '../../src/service/engine/judging/judging-state.ts';
import { sharesOf } from '../../src/service/engine/ranking/rank.ts';
import type { DataSet } from './data-set.ts';
import { type JudgedCase, rankAll } from './judged-case.ts';
import { type Row, readRows } from './rows.ts';
import { judgeWindow } from './window.ts';

/** Cases whose signals another system has judged: each is an alert. They have no times: a case is a moment of its own. */
const BETWEEN_CASES_MS = 3_600_000;

export async function judgedCases({ folder, labels }: DataSet): Promise<JudgedCase[]> {
  const byCase = new Map<number, AlertItem[]>();
  const graphs = new Map<number, CallGraph>();
  for await (const row of readRows(join(folder, 'cases.ndjson.gz'))) {
    const number = row.case_number ?? 0;
    byCase.set(number, [...(byCase.get(number) ?? []), ...asAlert(row, number)]);
    const graph = graphs.get(number) ?? createCallGraph();
    graphs.set(number, graph);
    // The peer of these spans is their caller.
    const caller = withoutInstance(row.peer_service ?? row.service);
    addCalls(graph, '', { caller, callee: withoutInstance(row.service), calls: 1, failed: 0 }, 0);
  }
  const state = createJudgingState();
  const bystanders = createBystanders();
  return labels.map((label) => {
    const alerts = byCase.get(label.case_number ?? 0) ?? [];
    const graph = graphs.get(label.case_number ?? 0) ?? createCallGraph();
    const evidence = judgeWindow(state, createCallGraph(), alerts).map((found) => discountBystander(bystanders, found));
    const root_service = withoutInstance(label.root_service);
    const judged = { label: { ...label, root_service }, evidence, graph: neighboursAt(graph, 0) };
    // Each case is over before the next. The engine learns from the root that it found, not from the label.
    const { candidates } = rankAll(judged);
    learnBystanders(bystanders, sharesOf(candidates), evidence);
    return judged;
  });
}

function withoutInstance(name: string): string {
  return name.replace(/-\d*$/, '');
}

const FAMILIES: readonly (readonly [RegExp, 'up' | 'down', Family])[] = [
  [/^(cpu|mem|fs)_usage$/, 'up', 'resource'],
  [/^dest_p\d+$/, 'up', 'latency_metric'],
  [/^src_p\d+$/, 'up', 'latency_metric'],
  [/_success_rate$/, 'down', 'failure_metric'],
  [/_qps$|^net_/, 'down', 'traffic_drop'],
];

function asAlert(row: Row, caseNumber: number): AlertItem[] {
  const service = withoutInstance(row.service);
  const name = row.name ?? '';
  const family = familyOf(row);
  if (family === null) {
    return [];
  }
  const subject = row.kind === 'log' ? name.replace(/^.*-\d+-/, '') : name;
  return [
    {
      kind: 'alert',
      service,
      instance: row.service,
      at: (caseNumber + 1) * BETWEEN_CASES_MS,
      fingerprint: [row.kind, row.service, name, row.direction ?? '', row.status ?? '', row.peer_service ?? ''].join(
        '|',
      ),
      family,
      peer: null,
      subject,
      strength: row.anomaly_score ?? 1,
      traceId: null,
      hasEnded: null,
    },
  ];
}

function familyOf({ kind, name = '', direction, status }: Row): Family | null {
  if (kind === 'trace') {
    return status === 'PD' ? 'slow_trace' : 'failed_calls';
  }
  if (kind === 'log') {
    return 'error_log';
  }
  return FAMILIES.find(([pattern, bad]) => pattern.test(name) && bad === direction)?.[2] ?? null;
}
