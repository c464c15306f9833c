import type { Evidence } from '../../src/service/core/evidence.ts';
import type { TelemetryItem } from '../../src/service/core/telemetry-item.ts';
import { addCalls, type CallGraph } from '../../src/service/engine/graph/call-graph.ts';
import { ALWAYS_QUIET, finishLearning, observe, type Step, step } from '../../src/service/engine/judging/judge.ts';
import type { JudgingState } from '../../src/service/engine/judging/judging-state.ts';

export type JudgedItem = Exclude<TelemetryItem, { kind: 'change' }>;

/** Longer than relatives of a span, and spans of a request, come apart. */
const LATE_MS = 30_000;
const NEVER_QUIET = () => false;

/** Learns what is normal from telemetry without faults. */
export async function learn(
  state: JudgingState,
  graph: CallGraph,
  items: AsyncIterable<JudgedItem> | Iterable<JudgedItem>,
): Promise<void> {
  let lastAt = 0;
  for await (const item of items) {
    learnCalls(
      graph,
      step(state, item.at - LATE_MS, ALWAYS_QUIET, (judged) => judged),
    );
    observe(state, item, ALWAYS_QUIET);
    lastAt = Math.max(lastAt, item.at);
  }
  learnCalls(
    graph,
    step(state, lastAt + LATE_MS, ALWAYS_QUIET, (judged) => judged),
  );
  finishLearning(state);
}

function learnCalls(graph: CallGraph, steps: readonly Step[]): void {
  for (const { calls } of steps) {
    for (const { sender, ...seen } of calls) {
      addCalls(graph, sender, seen, 0);
    }
  }
}

/** Judges the telemetry of one window: the strongest evidence of each fingerprint. */
export function judgeWindow(state: JudgingState, graph: CallGraph, items: readonly JudgedItem[]): Evidence[] {
  const strongest = new Map<string, Evidence>();
  const take = (steps: readonly Step[]) => {
    learnCalls(graph, steps);
    for (const evidence of steps.flatMap((one) => one.evidence)) {
      const known = strongest.get(evidence.fingerprint);
      if (known === undefined || evidence.strength > known.strength) {
        strongest.set(evidence.fingerprint, evidence);
      }
    }
  };
  let lastAt = 0;
  for (const item of items) {
    take(step(state, item.at - LATE_MS, NEVER_QUIET, (judged) => judged));
    observe(state, item, NEVER_QUIET);
    lastAt = Math.max(lastAt, item.at);
  }
  take(step(state, lastAt + LATE_MS, NEVER_QUIET, (judged) => judged));
  return [...strongest.values()];
}

export function copyGraph(graph: CallGraph): CallGraph {
  return { version: graph.version, edges: new Map([...graph.edges].map(([key, edge]) => [key, { ...edge }])) };
}
