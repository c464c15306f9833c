import { describe, expect, it } from 'vitest';
import { judgeWatch } from './judge-watch.ts';
import { count, createTally, merge, SLOT_MS, type Tally, type Watch } from './tally.ts';

describe('a step that stopped', () => {
  it('was last seen to be missing when a run went without it, not when the next run had it again', () => {
    const slots = new Map([
      [100, runs(0, 4)],
      [101, runs(6, 0)],
    ]);
    const now = createTally();
    for (const tally of slots.values()) {
      merge(now, tally);
    }

    const findings = judgeWatch(watch(runs(200, 0)), { now, recent: now, latest: now, slots }, () => false);

    expect(findings).toMatchObject([{ family: 'step_stopped', now: 0.6, seenAt: 100 * SLOT_MS }]);
  });
});

/** Runs of an operation with and without a step. */
function runs(having: number, missing: number): Tally {
  const tally = createTally();
  for (let run = 0; run < having + missing; run += 1) {
    count(tally, run < having ? new Map([['step stock GET', 1]]) : new Map(), null, true);
  }
  return tally;
}

function watch(usual: Tally): Watch {
  const about = { service: 'web', kind: 'operation', subject: '/' } as const;
  const counts = { looks: 0, active: 0, firstSlot: null, oddSince: null, oddUntil: 0 };
  return { ...about, ...counts, usual, slots: new Map() };
}
