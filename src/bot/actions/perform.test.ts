import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActionEvent, actionEvent, SETTLING, WORKING } from '../../../test/support/action-events.ts';
import { createActionModel } from '../../../test/support/action-model.ts';
import { ACTION_DATA, type ActionKind, UNDO_OF } from '../domain/action.ts';
import { KIND_ANSWERS } from '../views/kind-answers.ts';
import type { Kinds } from './kind.ts';

const RUNS = { numRuns: 300, seed: 20_261_123 };
const KINDS = Object.keys(ACTION_DATA) as ActionKind[];
const events = fc.array(actionEvent, { maxLength: 60, size: 'max' });

describe.each(KINDS)('a pending %s of a bot that crashes', (kind) => {
  it('is performed at most once, settled exactly once, and not performed after a newer action', async () => {
    await fc.assert(
      fc.asyncProperty(events, async (happening) => {
        const model = createActionModel(kind);
        for (const event of happening) {
          await model.next(event);
          expect(model.broken).toEqual([]);
        }

        for (const event of SETTLING) {
          await model.next(event);
        }

        expect(model.broken).toEqual([]);
        expect(model.unsettled()).toEqual([]);
      }),
      RUNS,
    );
  });
});

/** The action that must come before each kind, and the one that undoes it. */
const AROUND: Readonly<Record<ActionKind, { readonly before: ActionKind | null; readonly back: ActionKind | null }>> = {
  acknowledge: { before: null, back: 'unacknowledge' },
  resolve: { before: null, back: 'reopen' },
  unacknowledge: { before: 'acknowledge', back: 'acknowledge' },
  reopen: { before: 'resolve', back: 'resolve' },
  snooze: { before: null, back: 'unsnooze' },
  unsnooze: { before: 'snooze', back: 'snooze' },
  note: { before: null, back: null },
  steer: { before: null, back: 'unsteer' },
  unsteer: { before: 'steer', back: 'steer' },
  declare: { before: null, back: null },
  mute: { before: null, back: 'unmute' },
  unmute: { before: 'mute', back: 'mute' },
};

describe.each(KINDS)('a pending %s of a bot that crashed', (kind) => {
  it('changes nothing after the same person has done it again and undone it', async () => {
    const model = createActionModel(kind);
    const happen = async (happening: readonly ActionEvent[]) => {
      for (const event of happening) {
        await model.next(event);
      }
    };
    const { before, back } = AROUND[kind];
    if (before !== null) {
      await model.ask(before, 1);
      await happen(WORKING);
    }
    await model.ask(kind, 0);
    await happen([{ kind: 'crash', bot: 0, isDone: false }]);
    await model.ask(kind, 1);
    await happen(WORKING);
    if (back !== null) {
      await model.ask(back, 1);
      await happen(WORKING);
    }
    const shown = model.shown();

    await happen(SETTLING);

    expect(model.shown()).toBe(shown);
    expect(model.unsettled()).toEqual([]);
    expect(model.outcomes().at(-1)).toBe(`${back ?? kind} done`);
  });
});

it('a new kind of action does not compile until every record of kinds contains it', () => {
  type Added = ActionKind | 'raise';
  // @ts-expect-error the new kind has no entry in Kinds
  const missingKind = (kinds: Kinds): Record<Added, unknown> => kinds;
  // @ts-expect-error the new kind has no entry in KIND_ANSWERS
  const missingWords: Record<Added, unknown> = KIND_ANSWERS;
  // @ts-expect-error the new kind has no entry in UNDO_OF
  const missingUndo: Record<Added, unknown> = UNDO_OF;

  expect([missingKind, missingWords, missingUndo]).toHaveLength(3);
});
