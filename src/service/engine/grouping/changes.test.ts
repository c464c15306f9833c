import { expect, it } from 'vitest';
import type { Evidence } from '../../core/evidence.ts';
import { type Changes, rememberChange } from './changes.ts';

function deployment(version: number): Evidence {
  return { service: 'payments', subject: String(version), fingerprint: `payments ${version}`, at: version } as Evidence;
}

it('keeps the last ten deployments of a service, each once', () => {
  const changes: Changes = new Map();

  for (const version of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12]) {
    rememberChange(changes, deployment(version));
  }

  expect(changes.get('payments')?.map(({ subject }) => subject)).toEqual([
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
    '9',
    '10',
    '11',
    '12',
  ]);
});
