import { expect, it } from 'vitest';
import { spanItem } from '../../../../test/support/span-item.ts';
import { buildTrees } from './request-tree.ts';
import { selfTimeOf } from './usual-times.ts';

/** Time of a span from 0 to 100 ms that it does not wait for children, each given with its service, start and end. */
function selfMsWith(children: readonly (readonly [service: string, from: number, to: number])[]): number | null {
  const entry = spanItem({ service: 'orders', at: 100, durationMs: 100 });
  const { traceId, spanId } = entry;
  const spans = children.map(([service, from, to]) =>
    spanItem({ traceId, parentSpanId: spanId, service, at: to, durationMs: to - from }),
  );
  const [top] = buildTrees([entry, ...spans].map((span) => ({ span, sender: 'key' })));
  return top === undefined ? null : selfTimeOf(top);
}

it.each([
  {
    what: 'one after the other',
    children: [
      ['stock', 10, 30],
      ['prices', 30, 60],
    ] as const,
    selfMs: 50,
  },
  {
    what: 'at the same time',
    children: [
      ['stock', 10, 60],
      ['prices', 20, 50],
    ] as const,
    selfMs: 50,
  },
  {
    what: 'at the same time, in the service itself',
    children: [
      ['orders', 10, 60],
      ['orders', 20, 70],
    ] as const,
    selfMs: 40,
  },
  {
    what: 'by another clock',
    children: [
      ['stock', -40, 10],
      ['prices', 150, 170],
    ] as const,
    selfMs: 30,
  },
])('a span waits for what is called $what', ({ children, selfMs }) => {
  expect(selfMsWith(children)).toBe(selfMs);
});
