import { type CallGraph, createCallGraph } from './graph/call-graph.ts';
import { type CorrelationState, createCorrelationState } from './grouping/correlation-state.ts';
import { createJudgeState, type JudgeState } from './judging/judge-state.ts';

/** Everything that the engine knows; plain data, see `toSnapshot`. */
export interface EngineState {
  readonly judge: JudgeState;
  readonly graph: CallGraph;
  readonly correlation: CorrelationState;
}

export function createEngineState(): EngineState {
  return { judge: createJudgeState(), graph: createCallGraph(), correlation: createCorrelationState() };
}
