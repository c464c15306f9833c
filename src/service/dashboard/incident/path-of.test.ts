import { expect, it } from 'vitest';
import { newIncident } from '../../core/incident.ts';
import { pathOf, pathWords } from './path-of.ts';

const INCIDENT = newIncident(7, 'payments', null, new Date(0));

function incidentWith(path: readonly { service: string; requests: number }[]) {
  const edges = [{ from: 'web', to: 'checkout', calls: 40, errors: 12 }];
  return {
    impact: [{ from: 'checkout', to: 'payments', calls: 216, failed: 208 }],
    correlation: { ...INCIDENT.correlation, edges, path: [...path] },
  };
}

it('tells the way from the root to where requests enter, with the numbers of each call', () => {
  const way = ['payments', 'checkout', 'web', 'edge'].map((service) => ({ service, requests: 9 }));

  expect(pathWords(pathOf(incidentWith(way)))).toBe(
    'payments -> checkout (208 of 216 calls failed) -> web (12 of 40 calls failed) -> edge (9 requests came this way)',
  );
});

it('tells no way for a failure that stays where it is', () => {
  expect(pathOf(incidentWith([{ service: 'payments', requests: 9 }]))).toEqual([]);
});
