import fc from 'fast-check';

/** `works later`: the request is under way when the bot gives it up. */
const OUTCOMES = ['works', 'works, answer lost', 'works later', 'does not happen', 'is refused for now'] as const;
export type CallOutcome = (typeof OUTCOMES)[number];

const bot = fc.nat({ max: 1 });

/** Everything that can happen to what people ask for, in any order. `what` chooses among related kinds. */
export const actionEvent = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('ask'), what: fc.nat({ max: 7 }), person: fc.nat({ max: 1 }), bot }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('claim'), bot }) },
  {
    weight: 16,
    arbitrary: fc.record({
      kind: fc.constant('effect'),
      bot,
      outcome: fc.oneof({ weight: 5, arbitrary: fc.constant('works' as const) }, fc.constantFrom(...OUTCOMES)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash'), bot, outcome: fc.constantFrom(...OUTCOMES) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('a late request arrives') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leases expire') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('a signal comes') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('somebody undoes it elsewhere') }) },
);
export type ActionEvent = typeof actionEvent extends fc.Arbitrary<infer Value> ? Value : never;

const working: readonly ActionEvent[] = [
  { kind: 'effect', bot: 0, outcome: 'works' },
  { kind: 'effect', bot: 1, outcome: 'works' },
];

/** Enough for any action to end. */
export const WORKING: readonly ActionEvent[] = Array.from({ length: 10 }, () => working).flat();

/** Events until every bot is idle and all actions are settled. */
export const SETTLING: readonly ActionEvent[] = [
  ...WORKING,
  { kind: 'leases expire' },
  ...Array.from({ length: 9 }, (): ActionEvent => ({ kind: 'a late request arrives' })),
  ...Array.from({ length: 24 }, (): ActionEvent[] => [{ kind: 'claim', bot: 0 }, ...WORKING]).flat(),
];
