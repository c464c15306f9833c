import { type JudgedCase, rankCase } from '../correlation/judged-case.ts';
import { judgeWindows } from '../correlation/offline.ts';
import { type ReplayedIncident, replayRows } from '../correlation/online.ts';
import type { Row } from '../correlation/rows.ts';
import { type FaultOutcome, falseIncidents, matchFaults } from '../correlation/score.ts';
import type { LabCase } from './worlds.ts';

/** What the engine made of one system. */
export interface Measured {
  readonly lab: LabCase;
  readonly incidents: readonly ReplayedIncident[];
  readonly outcomes: readonly FaultOutcome[];
  readonly falseIncidents: readonly ReplayedIncident[];
  /** Services in order for each fault, most likely root first: the engine being told the window. */
  readonly told: readonly (readonly string[])[];
  readonly hours: number;
  readonly rows: number;
  /** Processor time of the engine, without the generator's. */
  readonly engineMs: number;
  /** Heap of what the engine has learnt at the end. null: not measured. */
  readonly stateBytes: number | null;
}

/**
 * Replays a system through the engine, which is told nothing; then judges the window of each fault.
 *
 * @param hasOwnKeys each service reports with a key of its own
 */
export async function measureCase(
  lab: LabCase,
  { isTold, hasOwnKeys }: { readonly isTold: boolean; readonly hasOwnKeys: boolean },
): Promise<Measured> {
  const { rows, labels } = lab.run();
  const watch = createWatch();
  const start = processorMs();
  const heapBefore = heapBytes();
  const { incidents, from, to, state } = await replayRows(
    watch.over(rows),
    hasOwnKeys ? ({ service }) => service : undefined,
  );
  const engineMs = processorMs() - start - watch.spentMs();
  const heapAfter = heapBytes();
  const truths = labels();
  const judged = isTold && truths.length > 0 ? await judgeWindows(truths, lab.baseline(), lab.run().rows) : [];
  return {
    lab,
    incidents,
    outcomes: matchFaults(truths, incidents),
    falseIncidents: falseIncidents(truths, incidents),
    told: judged.map(namesOf),
    hours: (to - from) / 3_600_000,
    rows: watch.rows(),
    engineMs,
    stateBytes: heapBefore === null || heapAfter === null || state === null ? null : heapAfter - heapBefore,
  };
}

function namesOf(judged: JudgedCase): string[] {
  return rankCase(judged).candidates.map(({ service }) => service);
}

interface Watch {
  readonly over: (rows: Iterable<Row>) => Iterable<Row>;
  /** Processor time that making rows took. */
  readonly spentMs: () => number;
  readonly rows: () => number;
}

const ROWS_PER_LOOK = 1_000;

/** Measures what making rows takes. Rows are made some in advance, so that looking at the clock costs nothing. */
function createWatch(): Watch {
  let spentMs = 0;
  let count = 0;
  return {
    *over(rows) {
      const iterator = rows[Symbol.iterator]();
      for (let isDone = false; !isDone; ) {
        const start = processorMs();
        const made: Row[] = [];
        while (!isDone && made.length < ROWS_PER_LOOK) {
          const { done, value } = iterator.next();
          isDone = done === true;
          if (done !== true) {
            made.push(value);
          }
        }
        spentMs += processorMs() - start;
        count += made.length;
        yield* made;
      }
    },
    spentMs: () => spentMs,
    rows: () => count,
  };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** @returns null: garbage cannot be collected on demand (`--expose-gc`) */
function heapBytes(): number | null {
  globalThis.gc?.();
  return globalThis.gc === undefined ? null : process.memoryUsage().heapUsed;
}
