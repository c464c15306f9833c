import { expect, it } from 'vitest';
import { newIncident } from '../../core/incident.ts';
import { affectedBy, pathOf } from './path-of.ts';

const INCIDENT = newIncident(7, 'payments', null, new Date(0));

function incidentWith(path: readonly { service: string; requests: number }[]) {
  return { rootService: 'payments', correlation: { ...INCIDENT.correlation, path: [...path] } };
}

it('shows the path from the root to where requests enter, with the requests that were lost on each call', () => {
  const way = [
    { service: 'payments', requests: 1_208 },
    { service: 'checkout', requests: 1_200 },
    { service: 'web', requests: 1 },
  ];

  expect(pathOf(incidentWith(way))).toEqual([
    { service: 'payments', isRoot: true, numbers: null },
    { service: 'checkout', isRoot: false, numbers: '1,200 requests' },
    { service: 'web', isRoot: false, numbers: '1 request' },
  ]);
});

it('shows no path for a failure that stays where it is', () => {
  expect(pathOf(incidentWith([{ service: 'payments', requests: 9 }]))).toEqual([]);
});

it('affects those who lose requests on its way, also if they report nothing', () => {
  const path = [
    { service: 'payments', requests: 9 },
    { service: 'web', requests: 9 },
  ];

  expect(affectedBy({ ...INCIDENT, ...incidentWith(path), services: ['payments', 'ledger'] })).toEqual([
    'payments',
    'ledger',
    'web',
  ]);
});

it('marks the root that somebody set, wherever the way begins', () => {
  const path = [
    { service: 'payments', requests: 9 },
    { service: 'checkout', requests: 9 },
  ];

  const hops = pathOf({ ...incidentWith(path), rootService: 'checkout' });

  expect(hops.map(({ service, isRoot }) => [service, isRoot])).toEqual([
    ['payments', false],
    ['checkout', true],
  ]);
});
