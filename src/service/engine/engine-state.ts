import { createAccount } from './accounts/accounts.ts';
import { createEpisode } from './accounts/episode.ts';
import { type CallGraph, createCallGraph } from './graph/call-graph.ts';
import { type CorrelationState, createCorrelationState } from './grouping/correlation-state.ts';
import { createIncident } from './grouping/incident.ts';
import { createJudgingState, type JudgingState } from './judging/judging-state.ts';

/** Everything that the engine knows; plain data, see `toSnapshot`. */
export interface EngineState {
  readonly judge: JudgingState;
  readonly graph: CallGraph;
  readonly correlation: CorrelationState;
}

export function createEngineState(): EngineState {
  return { judge: createJudgingState(), graph: createCallGraph(), correlation: createCorrelationState() };
}

/**
 * Makes the state of an earlier release whole, so that an upgrade does not learn anew what is normal: members that it did not have
 * begin as in a new state, and nobody reads those that it has no more.
 *
 * @param read is changed
 */
export function completeState(read: EngineState): EngineState {
  fillIn(read, createEngineState());
  for (const account of read.judge.accounts.byKey.values()) {
    fillIn(account, createAccount(account.place, account.sender, account.taught?.lesson ?? null, account.firstAt));
    for (const episode of account.episodes.values()) {
      fillIn(episode, createEpisode(episode.since));
    }
  }
  for (const incident of read.correlation.live.byNumber.values()) {
    fillIn(incident, createIncident(incident.number, incident.openedAt, incident.root, incident.splitFrom));
  }
  return read;
}

function fillIn(known: object, fresh: object): void {
  const members = known as Record<string, unknown>; // of whatever shape an earlier release stored
  for (const [name, value] of Object.entries(fresh)) {
    const own = members[name];
    if (own === undefined) {
      members[name] = value;
    } else if (isPlain(own) && isPlain(value)) {
      fillIn(own, value);
    }
  }
}

/** Maps, sets and arrays hold what was learnt: nothing is missing in them. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * State as JSON text and back. Maps and sets keep their order, so that the order of eviction stays the same. NaN and
 * infinite numbers are kept.
 */
export function toSnapshot(state: unknown): string {
  return JSON.stringify(state, (_key, value: unknown) => {
    if (value instanceof Map) {
      return { $map: [...value] };
    }
    if (value instanceof Set) {
      return { $set: [...value] };
    }
    return typeof value === 'number' && !Number.isFinite(value) ? { $number: String(value) } : value;
  });
}

/** @param text of `toSnapshot`; the caller vouches for its type and version */
export function fromSnapshot<State>(text: string): State {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    if ('$map' in value) {
      return new Map(value.$map as [unknown, unknown][]);
    }
    if ('$set' in value) {
      return new Set(value.$set as unknown[]);
    }
    return '$number' in value ? Number(value.$number) : value;
  }) as State;
}
