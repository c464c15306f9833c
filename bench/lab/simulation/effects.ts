import { type Effect, type Fault, NO_EFFECT } from '../faults/fault.ts';
import type { Operation, Place } from '../systems/system.ts';

/** What the faults of a plan do at a moment. */
export interface Effects {
  /** Moves to a moment, in milliseconds since 1970. Moments never go back. */
  readonly moveTo: (at: number) => void;
  /**
   * @param instance position of the instance
   * @param operation what it is asked for; absent: for nothing that one bad operation could spoil
   */
  readonly of: (place: Place, instance: number, operation?: Operation) => Effect;
  /** The fault at a place, or null. */
  readonly faultAt: (place: Place, instance: number) => Fault | null;
  /** How many times as many requests come. */
  readonly surge: () => number;
}

interface Active {
  readonly fault: Fault;
  readonly effect: Effect;
}

const STEP_MS = 1_000;

export function createEffects(faults: readonly Fault[]): Effects {
  let active: Active[] = [];
  let movedAt = Number.NEGATIVE_INFINITY;
  const find = (place: Place, instance: number, operation?: Operation) =>
    active.find(
      ({ fault }) =>
        fault.place === place &&
        (fault.instance === null || fault.instance === instance) &&
        (fault.operation === null || fault.operation === operation),
    );
  return {
    moveTo: (at) => {
      if (at - movedAt < STEP_MS) {
        return;
      }
      movedAt = at;
      active = faults
        .filter(({ from, to }) => at >= from && at < to)
        .map((fault) => ({
          fault,
          effect: { ...NO_EFFECT, ...fault.effectAt((at - fault.from) / (fault.to - fault.from)) },
        }));
    },
    of: (place, instance, operation) =>
      active.length === 0 ? NO_EFFECT : (find(place, instance, operation)?.effect ?? NO_EFFECT),
    faultAt: (place, instance) =>
      active.find(({ fault }) => fault.place === place && (fault.instance === null || fault.instance === instance))
        ?.fault ?? null,
    surge: () => active.reduce((most, { effect }) => Math.max(most, effect.surge), 1),
  };
}
