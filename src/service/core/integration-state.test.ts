import { expect, it } from 'vitest';
import { integrationStatusOf, stateOfIntegration } from './integration-state.ts';

const AT = new Date('2026-11-22T10:00:00Z');
const NOTHING = { lastUsedAt: null, lastError: null, disabledAt: null, silentSince: null };

it.each([
  ['otlp', {}, 'waiting', 'active'],
  ['otlp', { lastUsedAt: AT }, 'used', 'active'],
  ['otlp', { lastUsedAt: AT, lastError: 'not JSON' }, 'refused', 'failing'],
  ['alertmanager', { lastUsedAt: AT, silentSince: AT }, 'silent', 'active'],
  ['alertmanager', { lastUsedAt: AT, lastError: 'not JSON', silentSince: AT }, 'refused', 'failing'],
  ['heartbeat', { lastUsedAt: AT, silentSince: AT }, 'silent', 'active'],
  ['webhook', {}, 'waiting', 'active'],
  ['webhook', { lastUsedAt: AT }, 'used', 'active'],
  ['webhook', { lastError: 'answered 500' }, 'failing', 'failing'],
  ['webhook', { lastUsedAt: AT, lastError: 'answered 500' }, 'failing', 'failing'],
  ['pagerduty', { lastError: 'gone', disabledAt: AT }, 'disabled', 'disabled'],
  ['webhook', { lastUsedAt: AT, disabledAt: AT }, 'disabled', 'disabled'],
  ['slack', {}, 'waiting', 'active'],
  ['slack', { lastUsedAt: AT }, 'used', 'active'],
] as const)('%s to which %j happened is %s', (type, happened, state, status) => {
  const integration = { ...NOTHING, type, ...happened };

  expect([stateOfIntegration(integration), integrationStatusOf(integration)]).toEqual([state, status]);
});
