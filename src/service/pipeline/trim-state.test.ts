import { expect, it } from 'vitest';
import { spanItem } from '../../../test/support/span-item.ts';
import { advance, createEngineState, observe } from '../engine/engine.ts';
import { toSnapshotBytes } from './snapshot-bytes.ts';
import { trimState } from './trim-state.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

/** One operation that is seen often, among 2,000 that are seen once. */
function stateOfMany() {
  const state = createEngineState();
  for (let index = 0; index < 2_000; index += 1) {
    for (const operation of ['GET /', `rare ${index}`]) {
      observe(
        state,
        spanItem({ service: 'shop', at: NOW, durationMs: 5, operation, traceId: `${operation} ${index}`, spanId: '1' }),
        'key',
      );
    }
  }
  advance(state, NOW + 15_000);
  return state;
}

const subjects = ({ judge }: ReturnType<typeof stateOfMany>) =>
  [...judge.watches.values()].map(({ subject }) => subject);

it('forgets what is known least until the snapshot fits, and keeps what is known best', () => {
  const state = stateOfMany();
  const packed = toSnapshotBytes(state);

  const trimmed = trimState(state, packed, () => toSnapshotBytes(state), packed.length * 0.85);

  expect(trimmed.length).toBeLessThanOrEqual(packed.length * 0.85);
  expect(subjects(state)).toContain('GET /');
  expect(subjects(state).length).toBeGreaterThan(1_000);
});

it('forgets all baselines if that is not enough', () => {
  const state = stateOfMany();
  const packed = toSnapshotBytes(state);

  const trimmed = trimState(state, packed, () => toSnapshotBytes(state), 1_000);

  expect(trimmed.length).toBeLessThan(packed.length / 10);
  expect(subjects(state)).toEqual([]);
});
