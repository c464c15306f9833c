import { describe, expect, it } from 'vitest';
import { createCorrelatedSystem, MINUTE, START } from '../../../../test/support/correlated-system.ts';
import { evidence, failingCall, lostAt } from '../../../../test/support/evidence.ts';
import type { Evidence } from '../../core/evidence.ts';
import type { Lost } from '../../core/telemetry-item.ts';

/** Requests that were lost at the first of the services. They came over the next ones, each with a number of them. */
function lostOver(kind: Lost['kind'], ...path: readonly (readonly [service: string, requests: number])[]): Evidence {
  const [[service, requests] = ['', 0]] = path;
  const steps = path.map(([each, number]) => ({ service: each, requests: number }));
  const counts = { requests, total: 10, failed: 0, extraMs: 900, perMinute: requests };
  return { ...lostAt(service), lost: { kind, ...counts, path: steps } };
}

function rootsOf(system: ReturnType<typeof createCorrelatedSystem>): readonly string[] {
  return system.incidents().map(({ root }) => root);
}

describe('requests that are lost on the way from the root', () => {
  const slow = lostOver('self', ['web', 6]);
  const onTheWay = lostOver('way', ['payments', 6], ['web', 6]);

  it('are the same failure', () => {
    const system = createCorrelatedSystem();
    system.call('web', 'payments');
    system.during(0, 1, [slow]);
    system.during(1, 3, [slow, onTheWay]);

    expect(rootsOf(system)).toEqual(['web']);
  });

  it('are the same failure if they joined while they were few', () => {
    const system = createCorrelatedSystem();
    system.call('web', 'payments');
    system.during(0, 1, [slow, { ...onTheWay, strength: 0.6 }]);
    system.during(1, 3, [slow, onTheWay]);

    expect(rootsOf(system)).toEqual(['web']);
  });

  it('show that it goes on', () => {
    const system = createCorrelatedSystem();
    system.call('web', 'payments');
    system.during(0, 1, [slow]);
    system.during(1, 3, [onTheWay]);

    expect(system.incidents().map(({ root, activity }) => [root, activity])).toEqual([['web', 'failing']]);
  });

  it.each([
    { what: 'some came from another service', lost: lostOver('way', ['payments', 6], ['web', 3]) },
    { what: 'the called service took the time', lost: lostOver('self', ['payments', 6], ['web', 6]) },
    { what: 'they came from another service', lost: lostOver('way', ['payments', 6], ['refunds', 6]) },
  ])('are another failure if $what', ({ lost }) => {
    const system = createCorrelatedSystem();
    system.call('web', 'payments');
    system.during(0, 1, [slow]);
    system.during(1, 3, [slow, lost]);

    expect(rootsOf(system)).toEqual(['web', 'payments']);
  });
});

describe('a caller that gives up before its calls fail', () => {
  const hangs = [failingCall('probe', 'stock'), lostOver('silent', ['stock', 6], ['orders', 6], ['web', 6])];
  const ofCaller = [
    evidence({ service: 'orders', family: 'failed_calls', subject: 'POST /orders' }),
    evidence({ service: 'orders', family: 'new_error_log', subject: 'deadline exceeded', significance: 4 }),
    failingCall('web', 'orders'),
  ];

  function createHanging() {
    const system = createCorrelatedSystem();
    system.call('web', 'orders');
    system.call('orders', 'stock');
    system.call('probe', 'stock');
    return system;
  }

  it('stays in the incident of the root if lost requests came over it', () => {
    const system = createHanging();
    system.during(0, 5, [...hangs, ...ofCaller]);

    expect(system.told('split')).toEqual([]);
    expect(rootsOf(system)).toEqual(['stock']);
  });

  it('has an incident of its own if it loses other requests', () => {
    const system = createHanging();
    system.during(0, 5, [...hangs, ...ofCaller, lostOver('error', ['orders', 8], ['web', 8])]);

    expect(rootsOf(system)).toEqual(['stock', 'orders']);
  });
});

describe('an error line of a service without traces', () => {
  const lost = lostOver('error', ['payments', 6], ['checkout', 6]);

  function lineOf(example: string): Evidence {
    const subject = example.replaceAll(/\b(?:checkout|search)\b/g, '<service>').replaceAll(/\d+/g, '<n>');
    return evidence({ service: 'gateway', family: 'new_error_log', subject, example, significance: 4 });
  }

  it('joins the incident of the failing service that it names', () => {
    const system = createCorrelatedSystem();
    system.call('checkout', 'payments');
    system.during(0, 1, [lost]);
    system.during(1, 4, [lost, lineOf('order 17: checkout answered 502')]);

    expect(rootsOf(system)).toEqual(['payments']);
    expect([...(system.incidents()[0]?.members.values() ?? [])].map((member) => member.evidence.service)).toContain(
      'gateway',
    );
  });

  it.each([
    { what: 'a service that works', line: lineOf('order 17: search answered 502') },
    { what: 'no service', line: lineOf('order 17: deadline exceeded') },
    { what: 'a word that contains the name', line: lineOf('order 17: checkouts are off') },
  ])('opens an incident if it names $what', ({ line }) => {
    const system = createCorrelatedSystem();
    system.call('checkout', 'payments');
    system.during(0, 1, [lost]);
    system.during(1, 4, [lost, line]);

    expect(rootsOf(system)).toEqual(['payments', 'gateway']);
  });

  it('opens an incident once the service that it names works again', () => {
    const system = createCorrelatedSystem();
    system.call('checkout', 'payments');
    system.during(0, 1, [lost]);
    system.during(3, 6, [lineOf('order 17: checkout answered 502')]);

    expect(rootsOf(system)).toEqual(['payments', 'gateway']);
  });
});

it('time that was lost at a caller while the root failed is no failure of its own afterwards', () => {
  const system = createCorrelatedSystem();
  system.call('web', 'payments');
  const about = { service: 'web', family: 'lost_time', seenAt: START + MINUTE, since: START - MINUTE } as const;
  const lostTime = evidence({ ...about, subject: 'GET /', strength: 1.5, significance: 1.5 });
  system.during(0, 1, [lostAt('payments'), { ...lostTime, strength: 0.6, significance: 0.6 }]);
  system.during(1, 3, [lostTime]);

  expect(rootsOf(system)).toEqual(['payments']);
});
