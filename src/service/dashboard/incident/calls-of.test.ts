import { expect, it } from 'vitest';
import { newIncident } from '../../core/incident.ts';
import { callsOf } from './calls-of.ts';

const { correlation } = newIncident(7, 'bank', null, new Date(0));

it('counts failed calls only where the minute of the incident was measured', () => {
  const impact = [{ from: 'payments', to: 'bank', calls: 1_290, failed: 1_200 }];
  const edges = [
    { from: 'refunds', to: 'bank', calls: 362, errors: 169 },
    { from: 'payments', to: 'bank', calls: 724, errors: 339 },
    { from: 'web', to: 'payments', calls: 724, errors: 0 },
  ];

  expect(callsOf({ impact, correlation: { ...correlation, edges } })).toEqual([
    { from: 'payments', to: 'bank', label: '1,200 of 1,290 failed' },
    { from: 'refunds', to: 'bank', label: 'some failed' },
    { from: 'web', to: 'payments', label: '' },
  ]);
});
