import type { Random } from '../random.ts';
import type { Operation, System } from '../systems/system.ts';
import type { Effects } from './effects.ts';
import type { Emitter } from './emit.ts';
import type { Truths } from './truths.ts';

/** What a request meets on its walk. */
export interface World {
  readonly system: System;
  readonly random: Random;
  readonly effects: Effects;
  readonly emit: Emitter;
  readonly truths: Truths;
  /** Serves a request at one instance of a place, with all the calls that it takes. */
  readonly serve: Serve;
  /** Work that a queue hands on: it is done after the request, in traces of its own or in the same. */
  readonly handOn: (work: QueuedWork) => void;
}

export type Serve = (
  world: World,
  request: Request,
  operation: Operation,
  instance: number,
  at: number,
  parent: string | null,
) => Answer;

export interface QueuedWork {
  readonly operation: Operation;
  readonly at: number;
  /** The request that published it; null: the consumer starts a trace of its own. */
  readonly request: Request | null;
  readonly parent: string | null;
}

/** One request on its walk through the system. */
export interface Request {
  readonly traceId: string;
  readonly isSampled: boolean;
  /** Names of the places that it is in now, entry first. */
  readonly way: string[];
  /** Faults that it met, by their position in the plan. */
  readonly met: Set<number>;
  spans: number;
}

export interface Failure {
  readonly reason: string;
  readonly status: 500 | 502 | 503 | 504;
  /** Position of the fault that caused it in the plan; null: noise. */
  readonly fault: number | null;
}

export interface Answer {
  /** When it is there, in milliseconds since 1970. */
  readonly at: number;
  readonly failure: Failure | null;
}
