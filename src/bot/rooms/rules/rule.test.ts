import { describe, expect, it } from 'vitest';
import type { Mute } from '../../../contract/mute.ts';
import { matchesFilter } from '../../../incident/rule-filter.ts';
import { EVERYTHING, placementKey, placementsOf, type Rule } from './rule.ts';

const NOW = new Date('2026-01-31T23:00:00Z');
const MORNING = new Date('2026-02-01T07:00:00Z');
const QUIET = { from: '22:00', to: '07:00', timeZone: 'UTC' };
const PAYMENTS = { root_service: 'payments' };

function rule(fields: Partial<Rule> = {}): Rule {
  return {
    id: 'rule',
    channelId: 'C1',
    filter: EVERYTHING,
    escalation: [],
    quietHours: null,
    handover: null,
    createdBy: 'U1',
    changedAt: NOW,
    ...fields,
  };
}

function mute(until: Date): Mute {
  const at = NOW.toISOString();
  return {
    id: 'm',
    target: 'service',
    value: 'payments',
    until: until.toISOString(),
    created_by: 'ana',
    created_at: at,
  };
}

describe('the filter of a rule', () => {
  it('matches every incident if it is empty', () => {
    expect(matchesFilter(EVERYTHING, PAYMENTS)).toBe(true);
  });

  it('matches any of its services, with the root or among the others', () => {
    const filter = { ...EVERYTHING, services: ['Payments', 'cart-*'] };

    expect(matchesFilter(filter, PAYMENTS)).toBe(true);
    expect(matchesFilter(filter, { root_service: 'db', services: ['db', 'cart-eu'] })).toBe(true);
    expect(matchesFilter(filter, { root_service: 'cart', services: ['payments-2'] })).toBe(false);
  });

  it('needs all of its parts to match', () => {
    const filter = { services: ['payments'], severities: ['critical' as const], integrations: ['i1'], labels: [] };

    expect(matchesFilter(filter, { ...PAYMENTS, severity: 'critical', integrations: [{ id: 'i1' }] })).toBe(true);
    expect(matchesFilter(filter, { ...PAYMENTS, severity: 'error', integrations: [{ id: 'i1' }] })).toBe(false);
    expect(matchesFilter(filter, { ...PAYMENTS, severity: 'critical', integrations: [{ id: 'i2' }] })).toBe(false);
  });

  it('matches what the service does not report', () => {
    expect(matchesFilter({ services: [], severities: ['critical'], integrations: ['i1'], labels: [] }, PAYMENTS)).toBe(
      true,
    );
  });
});

describe('the labels of a rule', () => {
  const wants = (...labels: string[]) => ({ ...EVERYTHING, labels });

  it('are any value of the same label, and all labels', () => {
    const filter = wants('team:payments', 'team:Search', 'env:prod*');

    expect(matchesFilter(filter, { ...PAYMENTS, labels: { team: ['search'], env: ['prod-eu'] } })).toBe(true);
    expect(matchesFilter(filter, { ...PAYMENTS, labels: { team: ['cart', 'payments'], env: ['prod'] } })).toBe(true);
    expect(matchesFilter(filter, { ...PAYMENTS, labels: { team: ['search'], env: ['staging'] } })).toBe(false);
    expect(matchesFilter(filter, { ...PAYMENTS, labels: { env: ['prod'] } })).toBe(false);
    expect(matchesFilter(filter, { ...PAYMENTS, labels: {} })).toBe(false);
  });

  it('match where the service does not report labels', () => {
    expect(matchesFilter(wants('team:payments'), PAYMENTS)).toBe(true);
  });

  it('decide the place again when an incident gets others', () => {
    const incident = { id: '1', status: 'open', signal_count: 1, opened_at: NOW.toISOString(), ...PAYMENTS } as const;
    const keys = [{ team: ['a'], env: ['b'] }, { env: ['b'], team: ['a'] }, { team: ['a'] }].map((labels) =>
      placementKey({ ...incident, labels }),
    );

    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).not.toBe(keys[2]);
  });
});

describe('the placement of an incident', () => {
  it('is each channel with a rule that matches, once', () => {
    const rules = [
      rule(),
      rule({ filter: { ...EVERYTHING, services: ['payments'] } }),
      rule({ channelId: 'C2', filter: { ...EVERYTHING, services: ['search'] } }),
      rule({ channelId: 'D3' }),
    ];

    expect(placementsOf(rules, PAYMENTS, NOW)).toEqual([
      { channelId: 'C1', heldUntil: null },
      { channelId: 'D3', heldUntil: null },
    ]);
  });

  it('is held while the incident is muted, even if it is critical', () => {
    const muted = { ...PAYMENTS, severity: 'critical' as const, mute: mute(MORNING) };

    expect(placementsOf([rule()], muted, NOW)).toEqual([{ channelId: 'C1', heldUntil: MORNING }]);
    expect(placementsOf([rule()], { ...muted, mute: mute(NOW) }, NOW)).toEqual([{ channelId: 'C1', heldUntil: null }]);
  });

  it('is held in quiet hours, unless the incident is critical or another rule of the channel has none', () => {
    const quiet = rule({ quietHours: QUIET });

    expect(placementsOf([quiet], PAYMENTS, NOW)).toEqual([{ channelId: 'C1', heldUntil: MORNING }]);
    expect(placementsOf([quiet], { ...PAYMENTS, severity: 'critical' }, NOW)[0]?.heldUntil).toBeNull();
    expect(placementsOf([quiet, rule()], PAYMENTS, NOW)[0]?.heldUntil).toBeNull();
  });
});
