import { expect, it } from 'vitest';
import { addCalls, createCallGraph } from './call-graph.ts';
import { usualCalls } from './usual-calls.ts';

function callsOf(calls: readonly (readonly [caller: string, callee: string, calls: number])[]): string[] {
  const graph = createCallGraph();
  for (const [caller, callee, count] of calls) {
    addCalls(graph, 'key', { caller, callee, calls: count, failed: 0 }, 0);
  }
  return usualCalls(graph).map(({ caller, callee }) => `${caller} ${callee}`);
}

it('leaves out a short cut of few spans whose caller reported too late', () => {
  const way = [
    ['web', 'checkout', 700],
    ['checkout', 'payments', 700],
  ] as const;

  expect(callsOf([...way, ['web', 'payments', 1]])).toEqual(['web checkout', 'checkout payments']);
  expect(callsOf([...way, ['web', 'payments', 70]])).toContain('web payments');
});

it('keeps a rare call that is the only way to a service', () => {
  const rare = callsOf([
    ['checkout', 'audit', 700],
    ['web', 'audit', 1],
  ]);

  expect(rare).toEqual(['checkout audit', 'web audit']);
});
