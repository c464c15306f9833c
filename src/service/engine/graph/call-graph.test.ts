import { expect, it } from 'vitest';
import { addCalls, createCallGraph, edgesOf, neighboursAt, usualCalls } from './call-graph.ts';

it('keeps frequent calls, however many others are made up', () => {
  const graph = createCallGraph();
  addCalls(graph, 'key', { caller: 'web', callee: 'payments', calls: 500, failed: 0 }, 0);

  for (let index = 0; index < 80_000; index += 1) {
    addCalls(graph, 'key', { caller: 'liar', callee: `made-up-${index}`, calls: 1, failed: 0 }, 0);
  }

  expect(graph.edges.size).toBeLessThanOrEqual(20_000);
  expect(neighboursAt(graph, 0).callees.get('web')).toEqual(['payments']);
});

it('keeps rare calls that one sender reports, however often another reports made-up ones', () => {
  const graph = createCallGraph();
  addCalls(graph, 'honest', { caller: 'web', callee: 'payments', calls: 1, failed: 0 }, 0);

  for (let index = 0; index < 40_000; index += 1) {
    addCalls(graph, 'hostile', { caller: 'liar', callee: `made-up-${index}`, calls: 100, failed: 0 }, 0);
  }

  expect(graph.edges.size).toBeLessThanOrEqual(20_000);
  expect(neighboursAt(graph, 0).callees.get('web')).toEqual(['payments']);
});

it('counts calls that several senders report together', () => {
  const graph = createCallGraph();
  addCalls(graph, 'one', { caller: 'web', callee: 'payments', calls: 8, failed: 0 }, 0);
  addCalls(graph, 'other', { caller: 'web', callee: 'payments', calls: 1, failed: 1 }, 6 * 3_600_000);

  expect(neighboursAt(graph, 6 * 3_600_000).callees.get('web')).toEqual(['payments']);
  expect(edgesOf(graph)).toEqual([{ caller: 'web', callee: 'payments', calls: 5, failed: 1, seenAt: 6 * 3_600_000 }]);
});

it('forgets a call that was not seen for a day', () => {
  const graph = createCallGraph();
  addCalls(graph, 'key', { caller: 'web', callee: 'payments', calls: 500, failed: 0 }, 0);

  expect(neighboursAt(graph, 24 * 3_600_000).callees.get('web')).toEqual(['payments']);
  expect(neighboursAt(graph, 24 * 3_600_000 + 60_000).callees.get('web')).toBeUndefined();
});

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
