import fc from 'fast-check';

const OUTCOMES = ['works', 'works, answer lost', 'does not happen', 'is rate-limited', 'is refused'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Everything that can happen to one message, in any order. */
export const deliveryEvent = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('claim'), bot: fc.nat({ max: 1 }) }) },
  {
    weight: 14,
    arbitrary: fc.record({
      kind: fc.constant('effect'),
      bot: fc.nat({ max: 1 }),
      outcome: fc.oneof({ weight: 5, arbitrary: fc.constant('works' as const) }, fc.constantFrom(...OUTCOMES)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash'), bot: fc.nat({ max: 1 }), isDone: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lease expires') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('subject changes') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('told in another way') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('people delete it') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('app is created anew') }) },
);
export type DeliveryEvent = typeof deliveryEvent extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs until every bot has ended what it began, and what is due is sent. */
export const SETTLING: readonly DeliveryEvent[] = (() => {
  const working: DeliveryEvent[] = [
    { kind: 'effect', bot: 0, outcome: 'works' },
    { kind: 'effect', bot: 1, outcome: 'works' },
  ];
  const round = Array.from({ length: 7 }, () => working).flat();
  return [
    ...round,
    { kind: 'lease expires' },
    ...Array.from({ length: 12 }, (): DeliveryEvent[] => [{ kind: 'claim', bot: 0 }, ...round]).flat(),
  ];
})();
