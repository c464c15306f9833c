import { increase } from '../bounded-map.ts';
import type { DirectRun } from '../requests/direct-runs.ts';

/**
 * A caller without client spans looks slow itself when a callee, or the network to it, is slow. Its other runs tell the
 * two apart: if it is slow itself, runs without that callee are slow too.
 */
export interface CalleeContrast {
  readonly byOperation: Map<string, Runs>;
  /** Runs in which a callee answered, by operation and callee. */
  readonly byCall: Map<string, Runs>;
  /** Good runs in which each callee was expected to answer (a sum of shares), and in which it did. */
  readonly expected: Map<string, number>;
  readonly answered: Map<string, number>;
}

interface Runs {
  lost: number;
  well: number;
}

const MAX_CALLS = 200;

export function createContrast(): CalleeContrast {
  return { byOperation: new Map(), byCall: new Map(), expected: new Map(), answered: new Map() };
}

export function addRuns({ byOperation, byCall, expected, answered }: CalleeContrast, runs: readonly DirectRun[]): void {
  for (const { operation, outcome, answered: callees, usualShares } of runs) {
    if (outcome === 'failed') {
      continue; // a caller that fails by itself is quick, and one that waits is not
    }
    const isLost = outcome === 'slow';
    addRun(byOperation, operation, isLost);
    for (const callee of callees) {
      addRun(byCall, callKey(operation, callee), isLost);
    }
    if (!isLost) {
      for (const [callee, share] of usualShares) {
        increase(expected, callee, share, MAX_CALLS);
      }
      for (const callee of callees) {
        increase(answered, callee, 1, MAX_CALLS);
      }
    }
  }
}

function callKey(operation: string, callee: string): string {
  return `${operation}\n${callee}`;
}

function addRun(counts: Map<string, Runs>, key: string, isLost: boolean): void {
  const known = counts.get(key);
  if (known === undefined && counts.size >= MAX_CALLS) {
    return;
  }
  const runs = known ?? { lost: 0, well: 0 };
  counts.set(key, runs);
  runs[isLost ? 'lost' : 'well'] += 1;
}

/** Fewer runs may be chance. */
const LEAST_RUNS = 4;
/** Share of the lost runs that a callee must explain. */
const MOSTLY = 0.75;
/** Most that runs without the callee may be lost, relative to runs with it. */
const RARELY = 0.25;

/**
 * The callee that explains what a caller lost; null: no callee explains it. One that answers nobody any more comes first: runs that
 * wait for it are slow with every other callee too.
 */
export function explainingCallee(contrast: CalleeContrast): string | null {
  return silentCallee(contrast) ?? slowCallee(contrast);
}

/**
 * Runs with the callee are lost, runs without it are not. One operation that always calls it is no contrast: the
 * operation itself may be slow.
 */
function slowCallee({ byOperation, byCall }: CalleeContrast): string | null {
  const all = addUp(byOperation.values());
  const callees = new Map<string, { runs: Runs; operations: number; sameOperationWell: number }>();
  for (const [key, runs] of byCall) {
    const [operation = '', callee = ''] = key.split('\n');
    const known = callees.get(callee) ?? { runs: { lost: 0, well: 0 }, operations: 0, sameOperationWell: 0 };
    const isLost = runs.lost > 0;
    callees.set(callee, {
      runs: addUp([known.runs, runs]),
      operations: known.operations + (isLost ? 1 : 0),
      sameOperationWell: known.sameOperationWell + (isLost ? (byOperation.get(operation)?.well ?? 0) - runs.well : 0),
    });
  }
  const explaining = [...callees].filter(([, { runs, operations, sameOperationWell }]) => {
    const without = { lost: all.lost - runs.lost, well: all.well - runs.well };
    return (
      runs.lost >= Math.max(LEAST_RUNS, MOSTLY * all.lost) &&
      without.well >= LEAST_RUNS &&
      lostShare(without) <= RARELY * lostShare(runs) &&
      (operations > 1 || sameOperationWell >= LEAST_RUNS)
    );
  });
  return (
    explaining.toSorted(([a, one], [b, other]) => other.runs.lost - one.runs.lost || (a < b ? -1 : 1))[0]?.[0] ?? null
  );
}

/** A callee that usually answers and that no run reaches any more. Then only runs that do not call it go well. */
function silentCallee({ byOperation, byCall, expected, answered }: CalleeContrast): string | null {
  const { lost } = addUp(byOperation.values());
  if (lost < LEAST_RUNS) {
    return null;
  }
  const reached = new Set([...byCall].flatMap(([key, runs]) => (runs.lost > 0 ? [key.split('\n')[1]] : [])));
  const silent = [...expected].filter(
    ([callee, runs]) => runs >= LEAST_RUNS && (answered.get(callee) ?? 0) === 0 && !reached.has(callee),
  );
  return silent.toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? null;
}

function addUp(all: Iterable<Runs>): Runs {
  return [...all].reduce((sum, { lost, well }) => ({ lost: sum.lost + lost, well: sum.well + well }), {
    lost: 0,
    well: 0,
  });
}

function lostShare({ lost, well }: Runs): number {
  return lost / Math.max(lost + well, 1);
}
