import { fitBudget, sizeOf } from '../engine/budget.ts';
import type { EngineState } from '../engine/engine.ts';
import { createJudgingState } from '../engine/judging/judging-state.ts';

/** Each takes seconds. */
const MOST_TRIES = 4;
/** The size of a snapshot is nearly in proportion to that of the state. Where it was not, so much is left by each further try. */
const LEFT_BY_TRY = 0.5;

/**
 * Forgets baselines until the state packs into so many bytes: as far as that goes those of which least is known, each sender
 * an equal share, see `fitBudget`; then all of them. They are learnt again within minutes. No incident is forgotten.
 *
 * @param packed `pack()` of the state
 * @returns `pack()` of what is left
 */
export function trimState(state: EngineState, packed: Buffer, pack: () => Buffer, maxBytes: number): Buffer {
  let left = packed;
  for (let tries = 0; left.length > maxBytes && tries < MOST_TRIES; tries += 1) {
    const share = Math.min(maxBytes / left.length, tries === 0 ? 1 : LEFT_BY_TRY);
    if (fitBudget(state, sizeOf(state) * share) === 0) {
      break;
    }
    left = pack();
  }
  if (left.length <= maxBytes) {
    return left;
  }
  shrinkState(state);
  return pack();
}

/**
 * Forgets all baselines, but no incident: the last resort for a state with which every step takes too long. The
 * baselines are learnt again within minutes.
 */
export function shrinkState(state: EngineState): void {
  const { nextSlot: _, ...fresh } = createJudgingState();
  Object.assign(state.judge, fresh, { nextSlot: null });
}
