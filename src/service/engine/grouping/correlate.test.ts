import { describe, expect, it } from 'vitest';
import { createCorrelatedSystem, MINUTE, START } from '../../../../test/support/correlated-system.ts';
import { evidence, failingCall, lostAt } from '../../../../test/support/evidence.ts';
import { close, obey } from '../engine.ts';
import { similar } from './similar.ts';

describe('the age of an incident', () => {
  it('does not end a failure that lasts', () => {
    const system = createCorrelatedSystem();
    system.during(0, 120, [failingCall('web', 'payments'), lostAt('payments')]);

    expect(system.incidents().map(({ root, activity }) => [root, activity])).toEqual([['payments', 'failing']]);
  });

  it('keeps new evidence of the root with the root', () => {
    const system = createCorrelatedSystem();
    system.during(0, 95, [failingCall('web', 'payments'), lostAt('payments')]);
    system.during(95, 96, [
      failingCall('web', 'payments'),
      lostAt('payments'),
      evidence({ service: 'payments', subject: 'out of memory' }),
    ]);

    expect(system.incidents()).toHaveLength(1);
  });

  it('stops other services from joining', () => {
    const system = createCorrelatedSystem();
    system.call('web', 'payments');
    system.during(0, 95, [failingCall('web', 'payments'), lostAt('payments')]);
    system.during(95, 96, [failingCall('web', 'payments'), lostAt('payments'), evidence({ service: 'web' })]);

    expect(system.incidents().map(({ root }) => root)).toEqual(['payments', 'web']);
  });

  it('does not end an alert that is open', () => {
    const system = createCorrelatedSystem();
    const alert = evidence({ hasEnded: false });
    system.at(0, [alert]);
    system.at(8 * 24 * 60, [alert]);

    expect(system.incidents().map(({ activity }) => activity)).toEqual(['failing']);
  });
});

describe('evidence of the same trace', () => {
  const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736' };

  it('opens one incident', () => {
    const system = createCorrelatedSystem();
    system.at(0, [evidence({ service: 'web', ...trace }), evidence({ service: 'payments', ...trace })]);

    expect(system.incidents()).toHaveLength(1);
  });

  it('joins the incident in which the trace was seen', () => {
    const system = createCorrelatedSystem();
    system.at(0, [evidence({ service: 'web', ...trace })]);
    system.at(0.5, [evidence({ service: 'payments', ...trace })]);

    expect(system.incidents()).toHaveLength(1);
    expect(system.incidents()[0]?.members.size).toBe(2);
  });

  it('joins nothing once the failure is over', () => {
    const system = createCorrelatedSystem();
    system.at(0, [evidence({ service: 'web', hasEnded: false, ...trace })]);
    system.at(0.5, [evidence({ service: 'web', hasEnded: true, ...trace })]);
    system.at(1, [evidence({ service: 'payments', ...trace })]);

    expect(system.incidents()).toHaveLength(2);
  });

  it('is remembered for the newest traces of an incident only', () => {
    const system = createCorrelatedSystem();
    const traces = Array.from({ length: 30 }, (_, index) => ({ traceId: `trace ${index}`, subject: `${index}` }));
    system.at(
      0,
      traces.map((about) => evidence({ service: 'web', ...about })),
    );
    system.at(0.5, [evidence({ service: 'payments', traceId: 'trace 29' })]);
    system.at(1, [evidence({ service: 'inventory', traceId: 'trace 0' })]);

    expect(system.incidents().map(({ root }) => root)).toEqual(['web', 'inventory']);
  });
});

it('remembers what people lost when a few more requests are lost later, which may be chance', () => {
  const lost = { kind: 'error', total: 900, failed: 900, extraMs: 0, perMinute: 60, path: [] } as const;
  const episode = (since: number, requests: number, significance: number) =>
    evidence({
      ...lostAt('payments'),
      since: START + since * MINUTE,
      significance,
      strength: significance,
      lost: { ...lost, requests },
    });
  const system = createCorrelatedSystem();
  const told = () =>
    system.incidents().map(({ members }) => [...members.values()].map(({ evidence }) => evidence.lost?.requests));

  system.during(0, 5, [episode(0, 900, 2)]);
  system.at(6, [episode(6, 1, 0.4)]);
  expect(told()).toEqual([[900]]);
  system.at(6.5, [episode(6, 40, 2)]);
  expect(told()).toEqual([[40]]);
});

describe('time that requests lose at a service whose callee fails', () => {
  const lostTime = (significance: number) =>
    evidence({ ...lostAt('web'), fingerprint: 'lost time', family: 'lost_time', significance, strength: significance });

  it('is another incident, since the requests blame the service and not its callee', () => {
    const system = createCorrelatedSystem();
    system.call('web', 'payments');
    system.during(0, 1, [failingCall('web', 'payments'), lostAt('payments')]);
    system.during(1, 3, [failingCall('web', 'payments'), lostAt('payments'), lostTime(2)]);

    expect(system.incidents().map(({ root }) => root)).toEqual(['payments', 'web']);
  });

  it('belongs to the incident of the callee while it may be chance', () => {
    const system = createCorrelatedSystem();
    system.call('web', 'payments');
    system.during(0, 1, [failingCall('web', 'payments'), lostAt('payments')]);
    system.during(1, 3, [failingCall('web', 'payments'), lostAt('payments'), lostTime(0.5)]);

    expect(system.incidents().map(({ root }) => root)).toEqual(['payments']);
  });
});

describe('a closed incident', () => {
  it('takes evidence that continues during the cooldown', () => {
    const system = createCorrelatedSystem();
    system.during(0, 2, [failingCall('web', 'payments'), lostAt('payments')]);
    close(system.state, 1, START + 2 * MINUTE);
    system.during(2, 11, [failingCall('web', 'payments'), lostAt('payments')]);

    expect(system.incidents()).toHaveLength(1);
  });

  it('takes evidence that continues when it is closed again while it fails, though it had ended the first time', () => {
    const system = createCorrelatedSystem();
    const found = [failingCall('web', 'payments'), lostAt('payments')];
    system.during(0, 2, found);
    system.during(2, 3.5, []);
    close(system.state, 1, START + 3.5 * MINUTE);
    const at = START + 3.5 * MINUTE;
    const known = {
      number: 1,
      root: 'payments',
      openedAt: START,
      lastAt: at,
      activity: 'quiet',
      activeSince: at,
    } as const;
    obey(system.state, { kind: 'reopen', at, incident: known });
    system.during(3.5, 5, found);
    close(system.state, 1, START + 5 * MINUTE);
    system.during(5, 12, found);

    expect(system.incidents()).toHaveLength(1);
  });

  it('takes no evidence of a failure that returns after a silence', () => {
    const system = createCorrelatedSystem();
    system.during(0, 2, [failingCall('web', 'payments'), lostAt('payments')]);
    close(system.state, 1, START + 2 * MINUTE);
    system.during(2, 5, []);
    system.during(5, 6, [failingCall('web', 'payments'), lostAt('payments')]);

    expect(system.incidents().map(({ number, previous }) => [number, previous])).toEqual([
      [1, null],
      [2, 1],
    ]);
  });
});

describe('similar incidents', () => {
  const failure = [lostAt('payments'), evidence({ service: 'payments', family: 'new_error_log' })];

  it('are those with the same root and rare evidence in common, newest first', () => {
    const system = createCorrelatedSystem();
    for (const hour of [0, 1, 2]) {
      system.during(60 * hour, 60 * hour + 1, failure);
    }

    const last = system.incidents().at(-1);
    expect(last?.previous).toBe(2);
    expect(last && similar(system.state.correlation, last)).toEqual([2, 1]);
  });

  it('are not those of another root or with common evidence only', () => {
    const system = createCorrelatedSystem();
    system.during(0, 1, [lostAt('inventory')]);
    const common = [
      evidence({ service: 'payments', rarity: 0.4, family: 'error_log' }),
      evidence({ service: 'payments', rarity: 0.4 }),
    ];
    system.during(60, 61, common);
    close(system.state, 2, START + 61 * MINUTE); // an open incident would take its alert back
    system.during(120, 121, common);

    expect(system.incidents().map(({ previous }) => previous)).toEqual([null, null, null]);
  });
});
