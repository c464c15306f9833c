import { describe, expect, it } from 'vitest';
import { evidence, failingCall } from '../../../../test/support/evidence.ts';
import type { Evidence } from '../../core/telemetry-item.ts';
import { close, correlateEvidence, createEngineState, type EngineState } from '../engine.ts';
import { addCalls } from '../graph/call-graph.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../settings.ts';
import type { CorrelationEvent } from './correlation-state.ts';
import type { Incident } from './incident.ts';
import { similar } from './similar.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SLOT = 5 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');

describe('the age of an incident', () => {
  const settings = { ...DEFAULT_ENGINE_SETTINGS, maxAgeMs: 10 * MINUTE };

  it('does not end a failure that goes on', () => {
    const system = createSystem(settings);
    system.during(0, 60, [failingCall('web', 'payments')]);

    expect(system.incidents().map(({ root, activity }) => [root, activity])).toEqual([['payments', 'failing']]);
  });

  it('keeps new evidence of the root with the root', () => {
    const system = createSystem(settings);
    system.during(0, 20, [failingCall('web', 'payments')]);
    system.during(20, 21, [
      failingCall('web', 'payments'),
      evidence({ service: 'payments', subject: 'out of memory' }),
    ]);

    expect(system.incidents()).toHaveLength(1);
  });

  it('ends the joining of other services', () => {
    const system = createSystem(settings);
    system.call('web', 'payments');
    system.during(0, 20, [failingCall('web', 'payments')]);
    system.during(20, 21, [failingCall('web', 'payments'), evidence({ service: 'web' })]);

    expect(system.incidents().map(({ root }) => root)).toEqual(['payments', 'web']);
  });

  it('does not end an alert that is open', () => {
    const system = createSystem(settings);
    const alert = evidence({ hasEnded: false });
    system.at(0, [alert]);
    system.at(8 * 24 * 60, [alert]);

    expect(system.incidents().map(({ activity }) => activity)).toEqual(['failing']);
  });
});

describe('evidence of the same trace', () => {
  const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736' };

  it('opens one incident', () => {
    const system = createSystem();
    system.at(0, [evidence({ service: 'web', ...trace }), evidence({ service: 'payments', ...trace })]);

    expect(system.incidents()).toHaveLength(1);
  });

  it('joins the incident in which the trace was seen', () => {
    const system = createSystem();
    system.at(0, [evidence({ service: 'web', ...trace })]);
    system.at(0.5, [evidence({ service: 'payments', ...trace })]);

    expect(system.incidents()).toHaveLength(1);
    expect(system.incidents()[0]?.members.size).toBe(2);
  });

  it('joins nothing once the failure is over', () => {
    const system = createSystem();
    system.at(0, [evidence({ service: 'web', hasEnded: false, ...trace })]);
    system.at(0.5, [evidence({ service: 'web', hasEnded: true, ...trace })]);
    system.at(1, [evidence({ service: 'payments', ...trace })]);

    expect(system.incidents()).toHaveLength(2);
  });

  it('is remembered for the newest traces of an incident only', () => {
    const system = createSystem();
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

describe('incidents that open separately', () => {
  const alerts = [evidence({ service: 'web' }), evidence({ service: 'payments' })];

  it('stay apart while nothing connects them', () => {
    const system = createSystem();
    system.during(0, 5, alerts);

    expect(system.incidents()).toHaveLength(2);
  });

  it('merge into the older when a new call of the graph connects them', () => {
    const system = createSystem();
    system.during(0, 1, alerts);
    system.call('web', 'payments');
    system.during(1, 2, alerts);

    expect(system.told('merged')).toEqual(['2 into 1']);
    expect(system.incidents().map(({ number, root }) => [number, root])).toEqual([[1, 'payments']]);
  });

  it('are not opened when the call that connects them is seen in the same slot', () => {
    const system = createSystem();
    system.during(0, 1, [evidence({ service: 'payments' })]);
    system.call('web', 'payments');
    system.at(1.1, alerts);

    expect(system.incidents()).toHaveLength(1);
  });

  it('merge when calls are seen to fail all the way between them', () => {
    const system = createSystem();
    system.call('web', 'checkout');
    system.call('checkout', 'payments');
    system.during(0, 1.5, [evidence({ service: 'web' })]);
    const apart = [evidence({ service: 'web' }), failingCall('refunds', 'payments')];
    system.during(1.5, 2, apart);
    expect(system.incidents()).toHaveLength(2);

    system.during(2, 3, [...apart, failingCall('web', 'checkout'), failingCall('checkout', 'payments')]);

    expect(system.incidents().map(({ number, root }) => [number, root])).toEqual([[1, 'payments']]);
  });

  it('do not merge by the graph when the calls of one fail for another reason', () => {
    const system = createSystem();
    const failing = [failingCall('edge', 'web'), failingCall('checkout', 'payments')];
    system.during(0, 1, failing);
    system.call('web', 'payments');
    system.during(1, 5, failing);

    expect(system.told('merged')).toEqual([]);
  });

  it('keep all evidence, its times and its counts when they merge', () => {
    const system = createSystem();
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
    const system = createSystem();
    system.during(0, 5, [evidence({ service: 'web' })]);
    system.during(5, 6, alerts);
    system.call('web', 'payments');
    system.during(6, 8, alerts);

    expect(system.incidents()).toHaveLength(2);
  });

  it('do not merge when one of them is over', () => {
    const system = createSystem();
    system.during(0, 1, [evidence({ service: 'web' })]);
    system.during(1, 3, [evidence({ service: 'payments' })]);
    system.call('web', 'payments');
    system.during(3, 4, [evidence({ service: 'payments' })]);

    expect(system.incidents()).toHaveLength(2);
  });
});

describe('a merged incident', () => {
  const own = [failingCall('edge', 'web'), evidence({ service: 'web', subject: 'GET /', family: 'failed_calls' })];
  const called = failingCall('web', 'payments');

  /** web and payments open apart, and merge when web is seen to fail by payments. */
  function createMerged() {
    const system = createSystem();
    system.during(0, 1, [...own, failingCall('checkout', 'payments')]);
    system.call('edge', 'web');
    system.call('web', 'payments');
    system.during(1, 2, [...own, called, failingCall('checkout', 'payments')]);
    return system;
  }

  it('is split when its root no longer explains a part that goes on', () => {
    const system = createMerged();
    system.during(2, 6, own);

    expect(system.told('merged')).toHaveLength(1);
    expect(system.told('split')).toHaveLength(1);
    expect(system.incidents().map(({ root, splitFrom }) => [root, splitFrom])).toEqual([
      ['payments', null],
      ['web', 1],
    ]);
  });

  it('is not split right after it merged', () => {
    const system = createSystem();
    const alerts = [evidence({ service: 'web' }), evidence({ service: 'payments' })];
    system.during(0, 1, [...alerts, failingCall('checkout', 'payments')]);
    system.call('web', 'payments');
    system.during(1, 1.1, [...alerts, failingCall('checkout', 'payments')]);
    system.during(1.1, 2.9, [...alerts, ...own, failingCall('checkout', 'payments')]);
    expect([system.told('merged').length, system.told('split').length]).toEqual([1, 0]);

    system.during(2.9, 4, [...alerts, ...own, failingCall('checkout', 'payments')]);

    expect(system.told('split')).toHaveLength(1);
  });

  it('is not merged again right after it was split', () => {
    const system = createMerged();
    system.during(2, 4, [...own, failingCall('checkout', 'payments')]);
    expect([system.told('merged').length, system.told('split').length]).toEqual([1, 1]);
    system.during(4, 5, [...own, called, failingCall('checkout', 'payments')]);
    expect(system.told('merged')).toHaveLength(1);

    system.during(5, 7, [...own, called, failingCall('checkout', 'payments')]);

    expect(system.told('merged')).toHaveLength(2);
  });

  it('takes the counts of what is split along', () => {
    const system = createMerged();
    system.during(2, 6, own);

    const counts = system.incidents().flatMap(({ members }) => [...members.values()].map(({ times }) => times));
    expect(counts.reduce((sum, times) => sum + times, 0)).toBe(system.placed());
  });
});

describe('an incident of two failures', () => {
  it('is split when its root neither explains nor is explained by a strong part', () => {
    const system = createSystem();
    system.call('web', 'inventory');
    system.call('web', 'payments');
    const causes = ['inventory', 'payments'].map((service) => evidence({ service, family: 'new_error_log' }));
    system.at(0, [evidence({ service: 'web' })]);
    system.during(0, 1, [evidence({ service: 'web' }), ...causes]);

    expect(system.incidents().map(({ root, splitFrom }) => [root, splitFrom])).toEqual([
      ['inventory', null],
      ['payments', 1],
    ]);
    expect(system.told('split')).toEqual(['2 from 1']);
  });
});

describe('a closed incident', () => {
  it('takes what goes on during the cooldown', () => {
    const system = createSystem();
    system.during(0, 2, [failingCall('web', 'payments')]);
    close(system.state, 1, START + 2 * MINUTE);
    system.during(2, 11, [failingCall('web', 'payments')]);

    expect(system.incidents()).toHaveLength(1);
  });

  it('takes nothing of a failure that comes back after a silence', () => {
    const system = createSystem();
    system.during(0, 2, [failingCall('web', 'payments')]);
    close(system.state, 1, START + 2 * MINUTE);
    system.during(2, 5, []);
    system.during(5, 6, [failingCall('web', 'payments')]);

    expect(system.incidents().map(({ number, previous }) => [number, previous])).toEqual([
      [1, null],
      [2, 1],
    ]);
  });
});

describe('similar incidents', () => {
  const failure = [failingCall('web', 'payments'), evidence({ service: 'payments', family: 'new_error_log' })];

  it('are those with the same root and rare evidence in common, newest first', () => {
    const system = createSystem();
    for (const hour of [0, 1, 2]) {
      system.during(60 * hour, 60 * hour + 1, failure);
    }

    const last = system.incidents().at(-1);
    expect(last?.previous).toBe(2);
    expect(last && similar(system.state.correlation, last)).toEqual([2, 1]);
  });

  it('are not those of another root or with common evidence only', () => {
    const system = createSystem();
    system.during(0, 1, [failingCall('web', 'inventory')]);
    system.during(60, 61, [
      evidence({ service: 'payments', rarity: 0.4, family: 'error_log' }),
      ...failure.slice(0, 1),
    ]);
    system.during(120, 121, [evidence({ service: 'payments', rarity: 0.4, family: 'error_log' }), ...failure.slice(1)]);

    expect(system.incidents().map(({ previous }) => previous)).toEqual([null, null, null]);
  });
});

/** Correlates evidence on a simulated clock, in minutes. */
function createSystem(settings = DEFAULT_ENGINE_SETTINGS) {
  const state: EngineState = createEngineState();
  const events: CorrelationEvent[] = [];
  let placed = 0;
  let now = START;
  const place = (at: number, found: readonly Evidence[]) => {
    now = at;
    placed += found.length;
    const inTime = found.map((one) => ({ ...one, at }));
    events.push(...correlateEvidence(state, at, inTime, settings));
  };
  return {
    state,
    placed: () => placed,
    at: (minute: number, found: readonly Evidence[]) => place(START + minute * MINUTE, found),
    /** The same evidence in every slot. */
    during(from: number, to: number, found: readonly Evidence[]) {
      for (let at = START + from * MINUTE + SLOT; at <= START + to * MINUTE; at += SLOT) {
        place(at, found);
      }
    },
    call: (caller: string, callee: string) => addCalls(state.graph, caller, callee, 10, 0, now),
    incidents: (): Incident[] =>
      [...new Map(events.map(({ incident }) => [incident.number, incident])).values()].filter(
        ({ mergedInto }) => mergedInto === null,
      ),
    told: (type: 'merged' | 'split') =>
      events.flatMap((event) => {
        if (event.type === 'merged' && type === 'merged') {
          return [`${event.incident.number} into ${event.into.number}`];
        }
        return event.type === 'split' && type === 'split' ? [`${event.incident.number} from ${event.from.number}`] : [];
      }),
  };
}
