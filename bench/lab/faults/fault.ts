import type { Operation, Place } from '../systems/system.ts';

/** What a fault does to a place, now. Shares are 0 to 1, times milliseconds. */
export interface Effect {
  /** Share of requests that fail with `reason`, after part of the work. */
  readonly failedShare: number;
  /** Whether failing requests write an error line. */
  readonly isLogged: boolean;
  readonly reason: string;
  /** Share of calls into it that are refused before it notices, with `reason`. */
  readonly refusedShare: number;
  /** Share of calls into it that never get an answer. */
  readonly hangingShare: number;
  /** Added to its own work, and what that is multiplied by. */
  readonly selfMs: number;
  readonly selfFactor: number;
  /** Added to each call into it, and to each call that it makes; jitter included. */
  readonly inMs: number;
  readonly outMs: number;
  /** Share of calls into it of which a packet is lost: they are slow, or never answered. */
  readonly lostShare: number;
  /** Share of calls that it makes and that fail at once with `reason`: it cannot resolve names. */
  readonly unresolvedShare: number;
  /** Share of look-ups that a cache does not have; null: as usual. */
  readonly missShare: number | null;
  /** Requests through this place are so many times as many. */
  readonly surge: number;
  /** Waiting time of messages for it in the queue. */
  readonly backlogMs: number;
  readonly cpu: number | null;
  readonly memory: number | null;
  readonly disk: number | null;
  /** Lines a minute of each instance, with their level. */
  readonly lines: readonly { readonly perMinute: number; readonly text: string }[];
}

export const NO_EFFECT: Effect = {
  failedShare: 0,
  isLogged: false,
  reason: '',
  refusedShare: 0,
  hangingShare: 0,
  selfMs: 0,
  selfFactor: 1,
  inMs: 0,
  outMs: 0,
  lostShare: 0,
  unresolvedShare: 0,
  missShare: null,
  surge: 1,
  backlogMs: 0,
  cpu: null,
  memory: null,
  disk: null,
  lines: [],
};

/** One fault of a plan, and its truth. */
export interface Fault {
  /** Position in the plan. */
  readonly id: number;
  readonly kind: string;
  readonly place: Place;
  /** Position of the one bad instance; null: all. */
  readonly instance: number | null;
  /** The one bad operation; null: all. */
  readonly operation: Operation | null;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** A deployment is told to Tocsin when it starts. */
  readonly hasChange: boolean;
  /** `alone`, or how it lies to others. */
  readonly arrangement: Arrangement;
  /** @param progress 0 at its start to 1 at its end */
  readonly effectAt: (progress: number) => Partial<Effect>;
}

export type Arrangement = 'alone' | 'two at once' | 'in a row' | 'again';
