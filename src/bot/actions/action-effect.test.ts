import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActionEvent, actionEvent, SETTLING, WORKING } from '../../../test/support/action-events.ts';
import { createActionModel } from '../../../test/support/action-model.ts';
import { runs } from '../../../test/support/runs.ts';
import { ACTION_DEFINITIONS } from '../features.ts';
import type { ActionKind } from './action.ts';
import type { Kinds } from './kind.ts';

const RUNS = { numRuns: runs(300), seed: 20_261_123 };
const KINDS = Object.keys(ACTION_DEFINITIONS) as ActionKind[];
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
  merge: { before: null, back: 'split' },
  split: { before: 'merge', back: 'merge' },
  declare: { before: null, back: null },
  mute: { before: null, back: 'unmute' },
  unmute: { before: 'mute', back: 'mute' },
};

/** Steps of a model in which an action of this kind is possible. */
async function startActing(kind: ActionKind) {
  const model = createActionModel(kind);
  const happen = async (...happening: readonly ActionEvent[]) => {
    for (const event of happening) {
      await model.next(event);
    }
  };
  const act = async (asked: ActionKind | null, bot: number) => {
    if (asked !== null) {
      await model.ask(asked, bot);
      await happen(...WORKING);
    }
  };
  await act(AROUND[kind].before, 1);
  return { model, happen, act, back: AROUND[kind].back };
}

/** The calls of an action before it writes. */
const BEFORE_WRITE: readonly ActionEvent[] = [
  { kind: 'effect', bot: 0, outcome: 'works' },
  { kind: 'effect', bot: 0, outcome: 'works' },
];

describe.each(KINDS)('a pending %s of a bot that crashed', (kind) => {
  it.each([0, 1, 2])(
    'after %i steps changes nothing after the same person has done it again and undone it',
    async (steps) => {
      const { model, happen, act, back } = await startActing(kind);
      await model.ask(kind, 0);
      await happen(...BEFORE_WRITE.slice(0, steps), { kind: 'crash', bot: 0, outcome: 'works later' });
      await act(kind, 1);
      await act(back, 1);
      const shown = model.shown();

      await happen(...SETTLING);

      expect(model.broken).toEqual([]);
      expect(model.shown()).toBe(shown);
      expect(model.unsettled()).toEqual([]);
      expect(model.outcomes().at(-1)).toBe(`${back ?? kind} done`);
    },
  );
});

describe.each(KINDS)('a %s whose request is slow', (kind) => {
  it('is done once, by the repeated request, and not again after it was undone', async () => {
    const { model, happen, act, back } = await startActing(kind);
    await model.ask(kind, 0);
    await happen(...BEFORE_WRITE, { kind: 'effect', bot: 0, outcome: 'works later' }, ...WORKING);
    await happen({ kind: 'claim', bot: 1 }, ...WORKING);
    expect(model.outcomes().at(-1)).toBe(`${kind} done`);
    await act(back, 1);
    const shown = model.shown();

    await happen(...SETTLING);

    expect(model.broken).toEqual([]);
    expect(model.shown()).toBe(shown);
    expect(model.unsettled()).toEqual([]);
  });
});

it('a new kind of action does not compile until every record of kinds contains it', () => {
  type Added = ActionKind | 'raise';
  // @ts-expect-error the new kind has no entry in Kinds
  const missingKind = (kinds: Kinds): Record<Added, unknown> => kinds;
  // @ts-expect-error the new kind has no definition
  const missingDefinition: Record<Added, unknown> = ACTION_DEFINITIONS;

  expect([missingKind, missingDefinition]).toHaveLength(2);
});
