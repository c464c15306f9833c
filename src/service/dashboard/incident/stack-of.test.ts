import { expect, it } from 'vitest';
import { stackOf } from './stack-of.ts';

const FROM = new Date('2026-11-25T10:00:00Z');
const RANGE = { from: FROM, to: new Date('2026-11-25T10:05:00Z') };

function counted(service: string, minute: number, count: number) {
  return { service, at: FROM.getTime() + minute * 60_000, count };
}

it('draws the root and the services with most alone, and the rest as one', () => {
  const stack = stackOf(
    RANGE,
    [
      counted('web', 1, 4),
      counted('ads', 1, 1),
      counted('payments', 1, 20),
      counted('payments', 2, 10),
      counted('cart', 2, 7),
      counted('mail', 3, 2),
    ],
    'payments',
  );

  expect(stack?.parts).toEqual([
    { service: 'payments', total: 30, others: 0 },
    { service: 'cart', total: 7, others: 0 },
    { service: 'web', total: 4, others: 0 },
    { service: null, total: 3, others: 2 },
  ]);
  expect(stack?.chart.counts).toEqual([0, 25, 17, 2, 0]);
  expect(stack?.chart.parts).toEqual([
    [0, 20, 10, 0, 0],
    [0, 0, 7, 0, 0],
    [0, 4, 0, 0, 0],
    [0, 1, 0, 2, 0],
  ]);
});

it('names the root although it has fewest, and a fourth service instead of "1 other"', () => {
  const minutes = [counted('web', 1, 4), counted('db', 1, 1), counted('cart', 1, 7), counted('mail', 1, 2)];

  const [four, five] = [stackOf(RANGE, minutes, 'db'), stackOf(RANGE, [...minutes, counted('ads', 1, 1)], 'db')];

  expect(four?.parts.map(({ service }) => service)).toEqual(['db', 'cart', 'web', 'mail']);
  expect(five?.parts.map(({ service }) => service)).toEqual(['db', 'cart', 'web', null]);
});

it.each([[[]], [[counted('payments', 1, 20), counted('payments', 2, 10)]]])('draws nothing for %j', (minutes) => {
  expect(stackOf(RANGE, minutes, 'payments')).toBeNull();
});
