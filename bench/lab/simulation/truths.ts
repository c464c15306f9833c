import type { Fault } from '../faults/fault.ts';
import type { Operation, Place } from '../systems/system.ts';
import type { Answer, Request } from './world.ts';

/** What a fault did, as the generator knows it. */
export interface Truth {
  readonly fault: Fault;
  /** Requests and messages that met it. */
  readonly met: number;
  /** Of these, how many failed, or took far longer than such requests do. */
  readonly harmed: number;
  /** Of the harmed, how many are in the telemetry: the others were not sampled. */
  readonly harmedInSample: number;
  /** Requests and messages that came while it lasted. */
  readonly requests: number;
  /** Names of places from the fault to an entry, by the way that most requests took. */
  readonly path: readonly string[];
}

export interface Truths {
  readonly met: (fault: Fault, way: readonly string[]) => void;
  readonly requestEnded: (operation: Operation, request: Request, at: number, answer: Answer) => void;
  readonly isInBurst: (place: Place) => boolean;
  readonly setBurst: (place: Place, isInBurst: boolean) => void;
  readonly list: () => Truth[];
}

/** A request is slow when it takes this much longer than usual. */
const SLOW_FACTOR = 1.5;
const SLOW_MS = 20;
/** Requests of an operation that tell what is usual. */
const USUAL_REQUESTS = 400;

export function createTruths(faults: readonly Fault[]): Truths {
  const counts = faults.map(() => ({
    met: 0,
    harmed: 0,
    harmedInSample: 0,
    requests: 0,
    ways: new Map<string, number>(),
  }));
  const usual = new Map<number, { readonly times: number[]; medianMs: number }>();
  const bursts = new Set<Place>();
  const learn = (operation: Operation, ms: number) => {
    const known = usual.get(operation.id) ?? { times: [], medianMs: 0 };
    usual.set(operation.id, known);
    if (known.times.length < USUAL_REQUESTS) {
      known.times.push(ms);
      known.medianMs = known.times.toSorted((a, b) => a - b)[known.times.length >> 1] ?? 0;
    }
  };
  return {
    met: ({ id }, way) => {
      const ways = counts[id]?.ways;
      const key = way.join(' > ');
      ways?.set(key, (ways.get(key) ?? 0) + 1);
    },
    requestEnded: (operation, request, at, answer) => {
      for (const { id, from, to } of faults) {
        const count = counts[id];
        if (count !== undefined && at >= from && at < to) {
          count.requests += 1;
        }
      }
      const ms = answer.at - at;
      if (request.met.size === 0) {
        learn(operation, ms);
      }
      const usualMs = usual.get(operation.id)?.medianMs ?? Number.POSITIVE_INFINITY;
      for (const id of request.met) {
        const count = counts[id];
        if (count !== undefined) {
          const isHarmed = answer.failure?.fault === id || ms > SLOW_FACTOR * usualMs + SLOW_MS;
          count.met += 1;
          count.harmed += isHarmed ? 1 : 0;
          count.harmedInSample += isHarmed && request.isSampled ? 1 : 0;
        }
      }
    },
    isInBurst: (place) => bursts.has(place),
    setBurst: (place, isInBurst) => {
      if (isInBurst) {
        bursts.add(place);
      } else if (bursts.size > 0) {
        bursts.delete(place);
      }
    },
    list: () =>
      counts.flatMap(({ ways, ...count }, index) => {
        const fault = faults[index];
        return fault === undefined ? [] : [{ fault, ...count, path: commonest(ways) }];
      }),
  };
}

function commonest(ways: ReadonlyMap<string, number>): string[] {
  const [[way] = ['']] = [...ways].toSorted(([, one], [, other]) => other - one);
  return way === '' ? [] : way.split(' > ').toReversed();
}
