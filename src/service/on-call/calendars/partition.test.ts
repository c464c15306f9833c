import fc from 'fast-check';
import { expect, it } from 'vitest';
import { partition } from './partition.ts';

const at = (hour: number) => new Date(Date.UTC(2027, 2, 1) + hour * 3_600_000);

it('puts one person on call at any time: of several, the one who began last', () => {
  const taken = fc.array(
    fc
      .record({ from: fc.nat(20), hours: fc.integer({ min: 1, max: 8 }), person: fc.constantFrom('ana', 'ben', 'cy') })
      .map(({ from, hours, person }) => ({ from: at(from), to: at(from + hours), person })),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(taken, (given) => {
      const spans = partition(given);

      for (let hour = 0; hour < 30; hour += 1) {
        const now = new Date(at(hour).getTime() + 1);
        const found = spans.filter(({ from, to }) => from <= now && now < to);
        const [last] = given
          .filter(({ from, to }) => from <= now && now < to)
          .toSorted((one, other) => one.from.getTime() - other.from.getTime())
          .slice(-1);
        expect(found.map(({ person }) => person)).toEqual(last === undefined ? [] : [last.person]);
      }
      expect(spans.map(({ from }) => from.getTime())).toEqual(
        spans.map(({ from }) => from.getTime()).toSorted((one, other) => one - other),
      );
    }),
  );
});
