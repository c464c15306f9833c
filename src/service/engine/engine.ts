import { addCalls, type CallGraph, createCallGraph, neighboursAt } from './graph/call-graph.ts';
import { correlate } from './grouping/correlate.ts';
import { type CorrelationEvent, type CorrelationState, createCorrelationState } from './grouping/correlation-state.ts';
import type { Incident } from './grouping/incident.ts';
import { observe as judge, type Step, step } from './judging/judge.ts';
import { createJudgeState, type JudgeState } from './judging/judge-state.ts';
import { DEFAULT_ENGINE_SETTINGS, type EngineSettings } from './settings.ts';
import type { Evidence, TelemetryItem } from './telemetry-item.ts';

/** Everything that the engine knows; plain data, see `toSnapshot`. */
export interface EngineState {
  readonly judge: JudgeState;
  readonly graph: CallGraph;
  readonly correlation: CorrelationState;
}

export function createEngineState(): EngineState {
  return { judge: createJudgeState(), graph: createCallGraph(), correlation: createCorrelationState() };
}

/** Takes one item of telemetry. What it comes to, `advance` tells when its time is over. */
export function observe(state: EngineState, item: TelemetryItem): void {
  judge(state.judge, item, (service) => isQuiet(state, service));
}

/** Judges and correlates everything up to a time. Called at least every few seconds. */
export function advance(
  state: EngineState,
  at: number,
  settings: EngineSettings = DEFAULT_ENGINE_SETTINGS,
): CorrelationEvent[] {
  return step(
    state.judge,
    at,
    (service) => isQuiet(state, service),
    (judged) => correlateStep(state, judged, settings),
  ).flat();
}

function correlateStep(
  { graph, correlation }: EngineState,
  judged: Step,
  settings: EngineSettings,
): CorrelationEvent[] {
  for (const { caller, callee, calls, failed } of judged.calls) {
    addCalls(graph, caller, callee, calls, failed, judged.at);
  }
  return correlate(correlation, { ...judged, graph: neighboursAt(graph, judged.at) }, settings);
}

/** Correlates evidence that was judged elsewhere. */
export function correlateEvidence(
  state: EngineState,
  at: number,
  evidence: readonly Evidence[],
  settings: EngineSettings = DEFAULT_ENGINE_SETTINGS,
): CorrelationEvent[] {
  const moment = { at, evidence, answers: new Map<string, number>(), graph: neighboursAt(state.graph, at) };
  return correlate(state.correlation, moment, settings);
}

/** Somebody closed an incident: it stays silent for the cooldown, then what still fails opens another. */
export function close(state: EngineState, number: number, at: number): Incident | null {
  const incident = state.correlation.live.byNumber.get(number);
  if (incident === undefined) {
    return null;
  }
  incident.closedAt = at;
  return incident;
}

/** Nothing that fails now reaches the service. */
function isQuiet({ correlation: { live } }: EngineState, service: string): boolean {
  return !(live.byService.get(service) ?? []).some(
    (number) =>
      live.byNumber.get(number)?.activity === 'failing' && live.reach.get(number)?.victims.has(service) === true,
  );
}
