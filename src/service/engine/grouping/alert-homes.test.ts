import { describe, expect, it } from 'vitest';
import { createCorrelatedSystem } from '../../../../test/support/correlated-system.ts';
import { evidence } from '../../../../test/support/evidence.ts';
import { inhibitionOf } from '../../core/inhibition.ts';

const nodeDown = evidence({ service: 'node-1', fingerprint: 'node', hasEnded: false, inhibits: ['rule node-1'] });
const podDown = evidence({ service: 'payments', fingerprint: 'pod', hasEnded: false, inhibitedBy: ['rule node-1'] });
const otherPod = evidence({ service: 'orders', fingerprint: 'pod 2', hasEnded: false, inhibitedBy: ['rule node-2'] });

describe('an inhibited alert', () => {
  it('joins the incident of the alert that inhibits it, whose service stays the root', () => {
    const system = createCorrelatedSystem();
    system.at(0, [nodeDown]);
    system.at(1, [podDown, otherPod]);
    system.during(1, 5, [podDown]);

    const [first, second] = system.incidents();
    expect([first, second].map((incident) => incident?.root)).toEqual(['node-1', 'orders']);
    expect([...(first?.members.keys() ?? [])]).toEqual(['node', 'pod']);
    expect(system.incidents()).toHaveLength(2);
  });

  it('joins that incident when both arrive at once', () => {
    const system = createCorrelatedSystem();
    system.at(0, [podDown, nodeDown]);

    expect(system.incidents().map(({ root, members }) => [root, members.size])).toEqual([['node-1', 2]]);
  });

  it('opens an incident of its own once what inhibited it has ended', () => {
    const system = createCorrelatedSystem();
    system.at(0, [nodeDown]);
    system.at(1, [{ ...nodeDown, hasEnded: true }]);
    system.at(2, [podDown]);

    expect(system.incidents().map(({ root }) => root)).toEqual(['node-1', 'payments']);
  });

  it('stays in its own incident when the alert that inhibits it comes later', () => {
    const system = createCorrelatedSystem();
    system.at(0, [podDown]);
    system.at(1, [nodeDown]);
    system.at(2, [podDown]);

    expect(system.incidents().map(({ root, members }) => [root, members.size])).toEqual([
      ['payments', 1],
      ['node-1', 1],
    ]);
  });
});

it('joins the incident of a service that its own calls, without any rule', () => {
  const system = createCorrelatedSystem();
  system.call('payments', 'payments-db');
  system.at(0, [evidence({ service: 'payments-db', fingerprint: 'db', hasEnded: false })]);

  system.at(1, [evidence({ service: 'payments', fingerprint: 'pod', hasEnded: false })]);

  expect(system.incidents().map(({ root, members }) => [root, members.size])).toEqual([['payments-db', 2]]);
});

describe('inhibitionOf', () => {
  const rules = [{ source: { alertname: 'NodeDown' }, target: {}, equal: ['node'] }];

  it('relates alerts with equal labels of one sender', () => {
    const source = inhibitionOf(rules, 'int_1', { alertname: 'NodeDown', node: 'a' });
    const [same, other, foreign] = [
      inhibitionOf(rules, 'int_1', { alertname: 'PodDown', node: 'a' }),
      inhibitionOf(rules, 'int_1', { alertname: 'PodDown', node: 'b' }),
      inhibitionOf(rules, 'int_2', { alertname: 'PodDown', node: 'a' }),
    ];

    expect(source.inhibitedBy).toBeUndefined();
    expect(same.inhibitedBy).toEqual(source.inhibits);
    expect(other.inhibitedBy).not.toEqual(source.inhibits);
    expect(foreign.inhibitedBy).not.toEqual(source.inhibits);
  });

  it('says nothing without rules', () => {
    expect(inhibitionOf([], 'int_1', { alertname: 'NodeDown' })).toEqual({});
  });
});
