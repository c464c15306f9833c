import { getOrCreate } from '../bounded-map.ts';
import type { DirectRun } from '../requests/direct-runs.ts';

/**
 * A caller without client spans that fails quickly may have failed by itself, or it was refused by a callee. Its other
 * runs tell the two apart: if a callee refuses, the runs that call it fail, all others go well, and none reaches it.
 */
export type Refusals = Map<string, Silence>;

/** Runs of a caller since a callee last answered it. */
interface Silence {
  readonly byOperation: Map<string, Runs>;
  /** It answers again, and its caller has not failed since. */
  isOver: boolean;
}

interface Runs {
  well: number;
  failed: number;
  /** Runs that would usually have called it (a sum of shares). */
  calling: number;
}

const MAX_CALLEES = 16;
const MAX_OPERATIONS = 20;
/** Runs of an operation beyond this many tell nothing more. */
export const MAX_RUNS = 1_000;

export function countRefusals(refusals: Refusals, runs: readonly DirectRun[]): void {
  for (const { operation, outcome, answered, usualShares } of runs) {
    for (const [callee, silence] of refusals) {
      silence.isOver ||= answered.has(callee);
      if (silence.isOver && outcome !== 'well' && !answered.has(callee)) {
        refusals.delete(callee); // its caller fails although it answers
      }
    }
    if (outcome === 'slow') {
      continue;
    }
    for (const callee of usualShares.keys()) {
      if (!answered.has(callee)) {
        getOrCreate(refusals, callee, MAX_CALLEES, () => ({ byOperation: new Map(), isOver: false }));
      }
    }
    for (const [callee, { byOperation, isOver }] of refusals) {
      if (!isOver) {
        const known = getOrCreate(byOperation, operation, MAX_OPERATIONS, () => ({ well: 0, failed: 0, calling: 0 }));
        if (known.well + known.failed < MAX_RUNS) {
          known[outcome] += 1;
          known.calling += usualShares.get(callee) ?? 0;
        }
      }
    }
  }
}

/** Odds of 100 to 1 that one of the callees refuses, against a caller that fails by itself. */
const SURE = Math.log(100);
/** Share of runs that may fail, or call it, against the rule. */
const CHANCE = 0.002;
/** Probability that a callee stops telling of what it answers just when its caller fails. */
const UNSEEN = 0.01;
const LEAST_FAILED = 4;

/**
 * Callees that explain the quick failures of a caller, the surest first. They may answer other callers. Of two that are about
 * as sure, the one that is called first: what is called after a callee that refuses is not reached either.
 */
export function refusingCallees(refusals: Refusals): string[] {
  const sure = [...refusals]
    .map(([callee, { byOperation }]) => ({ callee, sureness: surenessOf([...byOperation.values()]) }))
    .filter(({ sureness }) => sureness >= SURE + Math.log(refusals.size));
  const surest = Math.max(...sure.map(({ sureness }) => sureness));
  const isAlike = ({ sureness }: { readonly sureness: number }) => sureness > surest - SURE;
  const others = sure.filter((each) => !isAlike(each)).toSorted((a, b) => b.sureness - a.sureness);
  return [...sure.filter(isAlike), ...others].map(({ callee }) => callee);
}

/**
 * Log of the Bayes factor: each operation fails in the share of its runs that call the callee, which does not answer; or in
 * any share, while the callee is not called by chance, or tells of nothing that it answers.
 */
function surenessOf(operations: readonly Runs[]): number {
  const sum = (logOf: (runs: Runs) => number) => operations.reduce((all, runs) => all + logOf(runs), 0);
  const failed = sum((runs) => runs.failed);
  if (failed < LEAST_FAILED) {
    return 0;
  }
  const notCalled = sum((runs) => runs.well * Math.log(1 - callingShare(runs)));
  const refused = sum((runs) => runs.failed * Math.log(callingShare(runs))) + notCalled;
  const byItself = logMean([sum(logFailing), logFailing({ failed, well: sum((runs) => runs.well) })]);
  return refused - byItself - Math.max(notCalled, Math.log(UNSEEN));
}

function callingShare({ well, failed, calling }: Runs): number {
  return Math.min(1 - CHANCE, Math.max(CHANCE, calling / (well + failed)));
}

/** Probability of these outcomes if nothing, everything or any share of the runs fails, each as likely. */
function logFailing({ well, failed }: Pick<Runs, 'well' | 'failed'>): number {
  const someShare = -Math.log(well + failed + 1) - logChoose(well + failed, failed);
  const oneShare = failed === 0 || well === 0 ? 0 : Number.NEGATIVE_INFINITY;
  return Math.log((Math.exp(oneShare - someShare) + 1) / 3) + someShare;
}

function logMean(logs: readonly number[]): number {
  const most = Math.max(...logs);
  return most + Math.log(logs.reduce((sum, each) => sum + Math.exp(each - most), 0) / logs.length);
}

function logChoose(all: number, some: number): number {
  let sum = 0;
  for (let index = 1; index <= some; index += 1) {
    sum += Math.log((all - some + index) / index);
  }
  return sum;
}
