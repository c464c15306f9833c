import { expect, it } from 'vitest';
import { weightOf } from './sampling.ts';
import type { Attributes } from './telemetry.ts';

it.each<[string, string, Attributes, number]>([
  ['a threshold of three quarters', 'ot=th:c', {}, 4],
  ['a threshold with all its digits', 'vendor=x,ot=rv:4f1e2d3c4b5a69;th:e6666666666666', {}, 10],
  ['no threshold: all are kept', 'ot=th:0', {}, 1],
  ['the older power of two', 'ot=p:3;r:5', {}, 8],
  ['a rate of sampling', '', { SampleRate: 20 }, 20],
  ['a probability', '', { 'sampling.probability': 0.25 }, 4],
  ['what the protocol says before an attribute', 'ot=th:8', { SampleRate: 20 }, 2],
  ['nothing', '', {}, 1],
  ['nonsense in the protocol', 'ot=th:xyz', {}, 1],
  ['no number', '', { SampleRate: 'often' }, 1],
  ['less than one span', '', { SampleRate: 0.2 }, 1],
  ['more than anybody samples', 'ot=th:fffffffffffff', {}, 1],
])('reads %s', (_, traceState, attributes, weight) => {
  expect(weightOf({ traceState, attributes })).toBe(weight);
});
