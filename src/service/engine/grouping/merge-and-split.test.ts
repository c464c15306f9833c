import { describe, expect, it } from 'vitest';
import { createCorrelatedSystem, SLOT, START } from '../../../../test/support/correlated-system.ts';
import { evidence, failingCall, lostAt } from '../../../../test/support/evidence.ts';

describe('incidents that open separately', () => {
  const alerts = [evidence({ service: 'web' }), evidence({ service: 'payments' })];

  it('stay apart while nothing connects them', () => {
    const system = createCorrelatedSystem();
    system.during(0, 5, alerts);

    expect(system.incidents()).toHaveLength(2);
  });

  it('merge into the older when a new call of the graph connects them', () => {
    const system = createCorrelatedSystem();
    system.during(0, 1, alerts);
    system.call('web', 'payments');
    system.during(1, 2, alerts);

    expect(system.told('merged')).toEqual(['2 into 1']);
    expect(system.incidents().map(({ number, root }) => [number, root])).toEqual([[1, 'payments']]);
  });

  it('are not opened when the call that connects them is seen in the same slot', () => {
    const system = createCorrelatedSystem();
    system.during(0, 1, [evidence({ service: 'payments' })]);
    system.call('web', 'payments');
    system.at(1.1, alerts);

    expect(system.incidents()).toHaveLength(1);
  });

  it('merge when calls are seen to fail all the way between them', () => {
    const system = createCorrelatedSystem();
    system.call('web', 'checkout');
    system.call('checkout', 'payments');
    system.during(0, 1.5, [evidence({ service: 'web' })]);
    const apart = [evidence({ service: 'web' }), failingCall('refunds', 'payments'), lostAt('payments')];
    system.during(1.5, 2, apart);
    expect(system.incidents()).toHaveLength(2);

    system.during(2, 3, [...apart, failingCall('web', 'checkout'), failingCall('checkout', 'payments')]);

    expect(system.incidents().map(({ number, root }) => [number, root])).toEqual([[1, 'payments']]);
  });

  it('do not merge by the graph when the calls of one fail for another reason', () => {
    const system = createCorrelatedSystem();
    const failing = [failingCall('edge', 'web'), failingCall('checkout', 'payments')];
    system.during(0, 1, failing);
    system.call('web', 'payments');
    system.during(1, 5, failing);

    expect(system.told('merged')).toEqual([]);
  });

  it('keep all evidence, its times and its counts when they merge', () => {
    const system = createCorrelatedSystem();
    system.during(0, 1, alerts);
    system.call('web', 'payments');
    system.during(1, 2, alerts);

    const members = [...(system.incidents()[0]?.members.values() ?? [])];
    expect(members.map(({ evidence: { service }, times, firstAt }) => [service, times, firstAt - START])).toEqual([
      ['payments', 24, SLOT],
      ['web', 24, SLOT],
    ]);
  });

  it('do not merge when the second began long after the first', () => {
    const system = createCorrelatedSystem();
    system.during(0, 5, [evidence({ service: 'web' })]);
    system.during(5, 6, alerts);
    system.call('web', 'payments');
    system.during(6, 8, alerts);

    expect(system.incidents()).toHaveLength(2);
  });

  it('do not merge when one of them is over', () => {
    const system = createCorrelatedSystem();
    system.during(0, 1, [evidence({ service: 'web' })]);
    system.during(1, 3, [evidence({ service: 'payments' })]);
    system.call('web', 'payments');
    system.during(3, 4, [evidence({ service: 'payments' })]);

    expect(system.incidents()).toHaveLength(2);
  });
});

describe('a merged incident', () => {
  const own = [
    failingCall('edge', 'web'),
    evidence({ service: 'web', subject: 'GET /', family: 'failed_calls' }),
    evidence({ service: 'web' }),
  ];
  const lost = [failingCall('checkout', 'payments'), lostAt('payments')];
  const called = failingCall('web', 'payments');

  /** web and payments open separately, and merge when calls from web to payments are seen to fail. */
  function createMerged() {
    const system = createCorrelatedSystem();
    system.during(0, 1, [...own, ...lost]);
    system.call('edge', 'web');
    system.call('web', 'payments');
    system.during(1, 2, [...own, called, ...lost]);
    return system;
  }

  it('splits off a part that keeps failing when its root is no longer blamed', () => {
    const system = createMerged();
    system.during(2, 4, own);

    expect(system.told('merged')).toHaveLength(1);
    expect(system.incidents().map(({ root, activity }) => [root, activity])).toEqual([
      ['payments', 'quiet'],
      ['web', 'failing'],
    ]);
  });

  it('moves the counts of evidence that is split off', () => {
    const system = createMerged();
    system.during(2, 6, own);

    const counts = system.incidents().flatMap(({ members }) => [...members.values()].map(({ times }) => times));
    // Until the root is quiet, the two findings wait for four slots, and waiting evidence counts once.
    expect(counts.reduce((sum, times) => sum + times, 0)).toBe(system.placed() - 2 * 4);
  });
});

describe('an incident of two failures', () => {
  it('is split when a strong part neither explains its root nor is explained by it', () => {
    const system = createCorrelatedSystem();
    system.call('web', 'inventory');
    system.call('web', 'payments');
    const causes = ['inventory', 'payments'].map((service) =>
      evidence({ service, family: 'new_error_log', significance: 1.2 }),
    );
    system.at(0, [evidence({ service: 'web' })]);
    system.during(0, 1, [evidence({ service: 'web' }), ...causes]);

    expect(system.incidents().map(({ root, splitFrom }) => [root, splitFrom])).toEqual([
      ['inventory', null],
      ['payments', 1],
    ]);
    expect(system.told('split')).toEqual(['2 from 1']);
  });
});

it('opens an incident of its own for requests that are lost at a callee, though they joined while they were few', () => {
  const system = createCorrelatedSystem();
  system.call('web', 'payments');
  system.during(0, 1, [lostAt('web')]);
  system.during(1, 1.5, [lostAt('web'), { ...lostAt('payments'), strength: 0.6 }]);
  expect(system.incidents()).toHaveLength(1);

  system.during(1.5, 2, [lostAt('web'), lostAt('payments')]);

  expect(system.incidents().map(({ root }) => root)).toEqual(['web', 'payments']);
});

it('makes one incident of two once the losses of one place are found to be those of the other', () => {
  const system = createCorrelatedSystem();
  system.call('payments', 'db');
  system.during(0, 1, [lostAt('payments'), lostAt('db')]);
  expect(system.incidents().map(({ root }) => root)).toEqual(['db', 'payments']);

  system.during(1, 2, [lostAt('payments'), { ...lostAt('payments'), fingerprint: 'of db', explains: ['db'] }]);

  expect(system.incidents().map(({ root }) => root)).toEqual(['payments']);
});
