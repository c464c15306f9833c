import { describe, expect, it } from 'vitest';
import { spanItem } from '../../../test/support/span-item.ts';
import { createEngineState, observe } from '../engine/engine.ts';
import { SLOT_MS } from '../engine/judging/constants.ts';
import { encodeEntry } from '../log/log-format.ts';
import { createProgress, createSharedMemory } from './progress.ts';
import { nextTickAt, type Replayed, replay } from './replay.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const DAY_MS = 86_400_000;

/** Spans of so many slots in a row, which wait to be judged. */
function backlog(slots: number, spansOfSlot: number): Replayed {
  const state = createEngineState();
  for (let slot = 0; slot < slots; slot += 1) {
    for (let index = 0; index < spansOfSlot; index += 1) {
      observe(state, spanItem({ at: START + slot * SLOT_MS + index / spansOfSlot }), 'key');
    }
  }
  return { state, tickedAt: START };
}

/** Ticks like the pipeline until nothing is behind `now`. @returns how many spans were judged by each tick */
function catchUp(replayed: Replayed, now: number): number[] {
  const judged: number[] = [];
  const progress = createProgress(createSharedMemory());
  while (replayed.tickedAt < now) {
    const before = replayed.state.judge.assembly.spans;
    const tick = { at: nextTickAt(replayed, now), closed: [] };
    replay(replayed, [{ sequence: 1n, bytes: encodeEntry({ kind: 'tick', tick }) }], [], progress);
    judged.push(before - replayed.state.judge.assembly.spans);
  }
  return judged;
}

describe('a tick', () => {
  it('judges some slots, however many wait', () => {
    const judged = catchUp(backlog(600, 10), START + 610 * SLOT_MS);

    expect(judged.reduce((sum, spans) => sum + spans, 0)).toBe(6_000);
    expect(Math.max(...judged)).toBeLessThanOrEqual(10 * (60 + 2)); // at first, traces wait longer
  });

  it('judges few slots if they have many spans', () => {
    const judged = catchUp(backlog(7, 10_000), START + 20 * SLOT_MS);

    expect(judged.reduce((sum, spans) => sum + spans, 0)).toBe(70_000);
    expect(Math.max(...judged)).toBeLessThanOrEqual(60_000);
    expect(judged.length).toBeLessThan(5);
  });

  it('skips a day of silence at once', () => {
    const replayed = backlog(1, 1);
    catchUp(replayed, START + 2 * SLOT_MS);
    observe(replayed.state, spanItem({ at: START + DAY_MS }), 'key');

    const ticks = catchUp(replayed, START + DAY_MS + 10 * SLOT_MS).length;

    expect(ticks).toBe(1);
    expect(replayed.state.judge.assembly.spans).toBe(0);
  });

  it('that is set aside leaves its slots to the next ones', () => {
    const replayed = backlog(120, 10);
    const tick = encodeEntry({ kind: 'tick', tick: { at: START + 130 * SLOT_MS, closed: [] } });
    const skipped = [{ first: 1n, last: 1n, report: null, kind: 'entries', isPending: false }] as const;
    replay(replayed, [{ sequence: 1n, bytes: tick }], skipped, createProgress(createSharedMemory()));

    const judged = catchUp(replayed, START + 131 * SLOT_MS);

    expect(judged.reduce((sum, spans) => sum + spans, 0)).toBe(1_200);
    expect(Math.max(...judged)).toBeLessThanOrEqual(10 * (60 + 2));
  });
});
