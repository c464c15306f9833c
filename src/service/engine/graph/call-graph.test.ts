import { expect, it } from 'vitest';
import { addCalls, createCallGraph, neighboursAt } from './call-graph.ts';

it('keeps frequent calls, however many others are made up', () => {
  const graph = createCallGraph();
  addCalls(graph, 'web', 'payments', 500, 0, 0);

  for (let index = 0; index < 80_000; index += 1) {
    addCalls(graph, 'liar', `made-up-${index}`, 1, 0, 0);
  }

  expect(graph.edges.size).toBeLessThanOrEqual(20_000);
  expect(neighboursAt(graph, 0).callees.get('web')).toEqual(['payments']);
});

it('forgets a call that was not seen for a day', () => {
  const graph = createCallGraph();
  addCalls(graph, 'web', 'payments', 500, 0, 0);

  expect(neighboursAt(graph, 24 * 3_600_000).callees.get('web')).toEqual(['payments']);
  expect(neighboursAt(graph, 24 * 3_600_000 + 60_000).callees.get('web')).toBeUndefined();
});
