import { describe, expect, it } from 'vitest';
import { fractionOf } from '../../../test/support/simulated-shop.ts';
import { toMetricItems } from '../core/metric-items.ts';
import type { Attributes, MetricPoint } from '../core/telemetry.ts';
import { advance, createEngineState, observe } from './engine.ts';
import type { CorrelationEvent } from './grouping/correlation-state.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 2 * 60 * MINUTE;
/** Requests and calls of one report. */
const REQUESTS = 40;

/** Each calls the next. The last two report nothing. */
const CHAIN = ['web', 'orders', 'payments', 'bank.example'] as const;
const DATABASE = 'postgresql:payments-db';

/** What happens to a place during the fault. */
type Fault = 'gone' | 'failing' | 'slow' | 'slow to reach';

describe('a system that sends metrics of its requests and of its calls, and no traces', () => {
  describe.each([15 * SECOND, MINUTE])('every %i ms', (everyMs) => {
    it.each<[string, Fault]>([
      ['payments', 'gone'],
      ['payments', 'failing'],
      ['payments', 'slow'],
      ['payments', 'slow to reach'],
      ['orders', 'gone'],
      ['orders', 'slow to reach'],
      [DATABASE, 'failing'],
      [DATABASE, 'slow'],
      ['bank.example', 'failing'],
      ['bank.example', 'slow'],
    ])('opens one incident, of %s, when it is %s', (broken, fault) => {
      const events = eventsOf(everyMs, broken, fault);

      expect(events.filter(({ type }) => type === 'opened' || type === 'split')).toHaveLength(1);
      expect(events.at(-1)?.root).toBe(broken);
    });

    it('recovers once calls to a place that reports nothing go well again', () => {
      const events = eventsOf(everyMs, DATABASE, 'failing', FAULT + 8 * MINUTE, FAULT + 20 * MINUTE);

      expect(events.flatMap(({ type, activity }) => (type === 'activity' ? [activity] : [])).at(-1)).toBe('recovered');
    });
  });
});

function eventsOf(
  everyMs: number,
  broken: string,
  fault: Fault,
  healed = Number.POSITIVE_INFINITY,
  until = FAULT + 10 * MINUTE,
) {
  const state = createEngineState();
  const events: { type: CorrelationEvent['type']; root: string; activity: string }[] = [];
  const take = (taken: readonly CorrelationEvent[]) => {
    for (const { type, incident } of taken) {
      events.push({ type, root: incident.root, activity: incident.activity });
    }
  };
  for (let at = START; at < until; at += everyMs) {
    const faultNow = at >= FAULT && at < healed ? fault : null;
    for (const [index, service] of CHAIN.slice(0, 3).entries()) {
      const reportedAt = at + index * SECOND;
      take(advance(state, reportedAt));
      for (const item of toMetricItems(pointsOf(service, reportedAt, broken, faultNow))) {
        observe(state, item);
      }
    }
  }
  take(advance(state, until));
  return events;
}

/** What a service reports. Whoever waits for a broken place fails or is slow, too. */
function pointsOf(service: string, at: number, broken: string, fault: Fault | null): MetricPoint[] {
  if (service === broken && fault === 'gone') {
    return [];
  }
  const callees =
    service === 'payments' ? ['bank.example', DATABASE] : [CHAIN[CHAIN.indexOf(service as 'web') + 1] ?? ''];
  const reaches = (place: string): boolean =>
    place === broken || (place === DATABASE ? false : reachesBroken(place, broken));
  const isSlow = fault === 'slow' || fault === 'slow to reach';
  const own = fault !== null && reachesBroken(service, broken) && !(service === broken && fault === 'slow to reach');
  const server = { 'http.request.method': 'POST', 'http.route': `/${service}` };
  return [
    ...measured(service, 'http.server.request.duration', server, at, own ? (isSlow ? 'slow' : 'failed') : 'well'),
    ...callees.flatMap((callee) => {
      const outcome = fault !== null && reaches(callee) ? (isSlow ? 'slow' : 'failed') : 'well';
      return callee === DATABASE
        ? measured(
            service,
            'db.client.operation.duration',
            { 'db.system.name': 'postgresql', 'server.address': 'payments-db' },
            at,
            outcome,
          )
        : measured(
            service,
            'http.client.request.duration',
            {
              'http.request.method': 'POST',
              'server.address': callee.includes('.') ? callee : `${callee}.shop.svc.cluster.local`,
            },
            at,
            outcome,
          );
    }),
  ];
}

/** Whether a service is the broken place, or waits for it. */
function reachesBroken(service: string, broken: string): boolean {
  const place = broken === DATABASE ? 'payments' : broken;
  return CHAIN.indexOf(service as 'web') <= CHAIN.indexOf(place as 'web');
}

function measured(
  service: string,
  name: string,
  attributes: Attributes,
  at: number,
  outcome: 'well' | 'slow' | 'failed',
): MetricPoint[] {
  const chance = fractionOf(at / SECOND, `${service} ${name}`);
  const failed = outcome === 'failed' ? REQUESTS : chance < 0.03 ? 1 : 0;
  const seconds = (0.04 + 0.02 * chance) * (outcome === 'slow' ? 8 : 1);
  return [
    pointOf(service, name, attributes, at, REQUESTS - failed, seconds),
    pointOf(service, name, { ...attributes, 'error.type': 'timeout' }, at, failed, seconds),
  ].filter(({ count }) => count > 0);
}

function pointOf(
  service: string,
  name: string,
  attributes: Attributes,
  at: number,
  count: number,
  seconds: number,
): MetricPoint {
  return {
    resource: { service, attributes: {} },
    metric: { name, unit: 's', kind: 'histogram', temporality: 'delta', isMonotonic: true },
    attributes,
    startNanos: 0n,
    timeNanos: BigInt(at) * 1_000_000n,
    value: seconds * count,
    count,
  };
}
