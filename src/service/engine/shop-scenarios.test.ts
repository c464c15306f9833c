import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { SHOP_SERVICES, type ShopSettings, simulateShop } from '../../../test/support/simulated-shop.ts';
import type { TelemetryItem } from '../core/telemetry-item.ts';
import { advance, close, createEngineState, type EngineState, observe } from './engine.ts';
import type { CorrelationEvent } from './grouping/correlation-state.ts';
import type { Incident } from './grouping/incident.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SLOT = 5 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
/** Only some requests fail, so that others get past one broken service to the next. */
const SOME_FAIL = { failingShare: 0.6 };

describe('a service that breaks alone', () => {
  it.each(SHOP_SERVICES)('%s: is the root of one incident, which recovers within a minute', (service) => {
    const { incidents, recoveredAt } = run([[service, 2, 4]], 5.5);

    expect(incidents.map(({ root }) => root)).toEqual([service]);
    expect(recoveredAt(1)).toBeLessThanOrEqual(START + 5 * MINUTE);
  });

  it.each(['payments', 'inventory', 'bank-gateway', 'orders-db'])(
    '%s: is the root of one incident when only some requests fail',
    (service) => {
      const { incidents, recoveredAt } = run([[service, 2, 4]], 5.5, SOME_FAIL);

      expect(incidents.map(({ root }) => root)).toEqual([service]);
      expect(recoveredAt(1)).toBeLessThanOrEqual(START + 5 * MINUTE);
    },
  );

  it.each(['payments', 'inventory', 'bank-gateway', 'orders-db'])('%s: is the root if it fails slowly', (service) => {
    const { incidents, recoveredAt } = run([[service, 2, 4]], 5.5, { failsAfterMs: 1_200 });

    expect(incidents.map(({ root }) => root)).toEqual([service]);
    expect(recoveredAt(1)).toBeLessThanOrEqual(START + 5 * MINUTE);
  });

  it('keeps its incident beyond the age at which other services stop joining', () => {
    const { incidents, events } = run([['payments', 2, 100]], 95, { requestEveryMs: 5_000 });

    expect(incidents.map(({ root, activity }) => [root, activity])).toEqual([['payments', 'failing']]);
    expect(events.filter(({ type }) => type === 'activity')).toEqual([]);
  });
});

describe('services that break at once', () => {
  it.each([
    [['payments', 'orders-db']],
    [['payments', 'inventory']],
    [['orders-db', 'inventory']],
    [['orders-db', 'bank-gateway']],
    [['inventory', 'bank-gateway']],
    [['orders-db', 'inventory', 'bank-gateway']],
    [['orders-db', 'inventory', 'payments']],
  ])('%j: have one incident each, which recover within a minute', (services) => {
    const { incidents, recoveredAt } = run(
      services.map((service) => [service, 2, 5]),
      6.5,
      SOME_FAIL,
    );

    expect(incidents.map(({ root }) => root).toSorted()).toEqual(services.toSorted());
    expect(incidents.every(({ number }) => recoveredAt(number) <= START + 6 * MINUTE)).toBe(true);
  });

  it('have one incident each when one of them calls the other', () => {
    const { incidents } = run(
      [
        ['payments', 2, 6],
        ['bank-gateway', 2, 6],
      ],
      6,
    );

    expect(incidents.map(({ root }) => root).toSorted()).toEqual(['bank-gateway', 'payments']);
  });
});

describe('services that break while others are broken', () => {
  it.each([
    [['orders-db', 'inventory', 'bank-gateway']],
    [['bank-gateway', 'inventory', 'orders-db']],
    [['inventory', 'orders-db', 'payments']],
  ])('%j: have one incident each', (services) => {
    const { incidents } = run(
      services.map((service, index) => [service, 2 + index, 6]),
      7.5,
      SOME_FAIL,
    );

    expect(incidents.map(({ root }) => root)).toEqual(services);
  });
});

describe('services that break one after the other while nobody closes an incident', () => {
  it.each([
    ['at once', ['orders-db', 'inventory', 'bank-gateway'], 0],
    ['at once, a caller of the one before', ['bank-gateway', 'payments'], 0],
    ['at once, a callee of the one before', ['payments', 'bank-gateway'], 0],
    ['at once, the edge', ['payments', 'web'], 0],
    ['after two minutes', ['orders-db', 'inventory', 'bank-gateway', 'payments'], 2],
    ['after five minutes', ['inventory', 'payments'], 5],
  ])('%s: have one incident each', (_, services, pause) => {
    const faults = services.map((service, index): Fault => {
      const from = 2 + index * (3 + pause);
      return [service, from, from + 3];
    });
    const { incidents } = run(faults, 2 + services.length * (3 + pause));

    expect(incidents.map(({ root, previous }) => [root, previous])).toEqual(services.map((service) => [service, null]));
  });

  it('open the next incident within 20 seconds, even if a caller of the earlier root fails', () => {
    const { events } = run(
      [
        ['bank-gateway', 2, 5],
        ['payments', 5, 8],
      ],
      8,
    );

    const [, second] = events.filter(({ type }) => type === 'opened');
    expect(second?.at).toBeLessThanOrEqual(START + 5 * MINUTE + 20 * SECOND);
  });

  it('do not make an earlier incident fail again when its services are no longer reached', () => {
    const { events } = run(
      [
        ['orders-db', 2, 4],
        ['inventory', 4.5, 6],
      ],
      6,
    );

    const ofFirst = events.filter(({ type, incident }) => type === 'activity' && incident.root === 'orders-db');
    expect(ofFirst).toHaveLength(1);
  });

  it('leave a victim quiet, not recovered, while its callee fails', () => {
    const { incidents } = run(
      [
        ['payments', 2, 4],
        ['bank-gateway', 4, 7],
      ],
      6,
    );

    expect(incidents.map(({ root, activity }) => [root, activity])).toEqual([
      ['payments', 'quiet'],
      ['bank-gateway', 'failing'],
    ]);
  });
});

describe('a service that breaks again', () => {
  it.each([8, 22])('returns to its incident in minute %i, because nobody has closed it', (minute) => {
    const { incidents, events } = run(
      [
        ['inventory', 2, 4],
        ['inventory', minute, minute + 2],
      ],
      minute + 2,
    );

    expect(incidents.map(({ root }) => root)).toEqual(['inventory']);
    const told = events.flatMap((event) => (event.type === 'activity' ? [event.incident.number] : []));
    expect(told).toHaveLength(2);
    expect(incidents[0]).toMatchObject({ activity: 'failing', openedAt: events[0]?.at });
  });

  it('opens a new incident when somebody closed the first after it recovered', () => {
    const state = createEngineState();
    const faults: Fault[] = [
      ['inventory', 2, 4],
      ['inventory', 8, 10],
    ];
    const items = simulateShop(shopOf(faults, 10));
    feed(state, items, 0, 5.5);

    close(state, 1, START + 5.5 * MINUTE);
    const opened = feed(state, items, 5.5, 10).filter(({ type }) => type === 'opened');

    expect(opened.map(({ incident }) => [incident.root, incident.previous])).toEqual([['inventory', 1]]);
  });

  it('returns to its incident when it was well only for a moment', () => {
    const { incidents, events } = run(
      [
        ['inventory', 2, 4],
        ['inventory', 5, 7],
      ],
      7,
    );

    expect(incidents).toHaveLength(1);
    expect(events.flatMap((event) => (event.type === 'activity' ? [event.at - START] : []))).toHaveLength(2);
  });
});

describe('alerts that come before the first span', () => {
  const faults: Fault[] = [
    ['payments', 0, 3],
    ['web', 3, 9],
  ];

  /** Alerts fire for both services before the telemetry of the shop begins. Payments is broken first, and then web. */
  function alertThenShow(minutes: number) {
    const items = simulateShop({ ...shopOf(faults, 9), from: START + 30 * SECOND });
    const alerts = [alert('web', 0, false), alert('payments', 0.25, false), alert('payments', 3, true)];
    const inOrder = [...items, ...alerts].toSorted((a, b) => a.at - b.at);
    return feed(createEngineState(), inOrder, 0, minutes);
  }

  it('open incidents that merge when calls between the services are seen to fail', () => {
    const events = alertThenShow(3);

    expect(describeGrouping(events)).toEqual(['opened 1', 'opened 2', 'merged 2', 'root of 1: payments']);
  });

  it('open another incident for the service that keeps failing when the other recovers', () => {
    const events = alertThenShow(9);

    expect(
      describeGrouping(events)
        .slice(4)
        .filter((told) => !told.startsWith('split')),
    ).toEqual(['opened 3']);
    expect(events.findLast(({ type }) => type === 'opened')?.incident).toMatchObject({
      root: 'web',
      activity: 'failing',
    });
  });

  function alert(service: string, minute: number, hasEnded: boolean): TelemetryItem {
    const about = { instance: null, family: 'alert', peer: null, subject: 'Down', strength: 1, traceId: null } as const;
    const at = START + minute * MINUTE;
    return { kind: 'alert', service, at, fingerprint: `${service} is down`, hasEnded, ...about };
  }

  function describeGrouping(events: readonly CorrelationEvent[]): string[] {
    return events.flatMap(({ type, incident }) => {
      if (type === 'root_changed') {
        return [`root of ${incident.number}: ${incident.root}`];
      }
      return type === 'joined' || type === 'activity' ? [] : [`${type} ${incident.number}`];
    });
  }
});

type Fault = readonly [service: string, fromMinute: number, toMinute: number];
type ShopOptions = Pick<ShopSettings, 'failingShare' | 'failsAfterMs' | 'requestEveryMs'>;

function shopOf(faults: readonly Fault[], minutes: number, options: ShopOptions = {}): ShopSettings {
  const isBroken = (service: string, at: number) =>
    faults.some(([name, from, to]) => name === service && at >= START + from * MINUTE && at < START + to * MINUTE);
  return { from: START, to: START + minutes * MINUTE, isBroken, requestEveryMs: 200, ...options };
}

function run(faults: readonly Fault[], minutes: number, options: ShopOptions = {}) {
  const items = simulateShop(shopOf(faults, minutes, options)).filter(({ at }) => at < START + minutes * MINUTE);
  const events = feedEngine(createEngineState(), items, START + minutes * MINUTE);
  const incidents: Incident[] = incidentsIn(events).filter(({ mergedInto }) => mergedInto === null);
  const recoveredAt = (number: number): number => {
    const last = events.findLast(({ type, incident }) => type === 'activity' && incident.number === number);
    return last?.incident.activity === 'recovered' ? last.at : Number.POSITIVE_INFINITY;
  };
  return { events, incidents, recoveredAt };
}

/** Feeds some minutes of telemetry, slot by slot. */
function feed(state: EngineState, items: readonly TelemetryItem[], from: number, to: number): CorrelationEvent[] {
  const events: CorrelationEvent[] = [];
  let next = items.findIndex(({ at }) => at >= START + from * MINUTE);
  for (let slot = START + from * MINUTE + SLOT; slot <= START + to * MINUTE; slot += SLOT) {
    for (let item = items[next]; item !== undefined && item.at < slot; item = items[next]) {
      observe(state, item);
      next += 1;
    }
    events.push(...advance(state, slot));
  }
  return events;
}
