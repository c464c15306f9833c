import { expect, it } from 'vitest';
import { OpsgenieAlert, readOpsgenieAlert } from './opsgenie-alert.ts';

it('takes a detail that is null for absent, and a number for its text', () => {
  const alert = OpsgenieAlert.parse({ message: 'disk is full', details: { service: null, env: 'prod', used: 97 } });

  const [signal] = readOpsgenieAlert(alert, 'int_1', new Date('2026-01-31T08:00:00Z')).signals;

  expect(signal?.service).toBe('disk is full');
  expect(signal?.attributes).toEqual({ env: 'prod', used: '97' });
});
