import { describe, expect, it } from 'vitest';
import { fractionOf, SHOP_SERVICES } from '../../../test/support/simulated-shop.ts';
import type { LogItem, MetricItem } from '../core/telemetry-item.ts';
import { advance, createEngineState, observe } from './engine.ts';
import type { CorrelationEvent } from './grouping/correlation-state.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-01-01T00:00:00Z');
/** The default of OpenTelemetry's SDKs is a minute, that of clouds five. */
const INTERVALS = [10 * SECOND, MINUTE, 5 * MINUTE];

describe('a system that sends metrics alone', () => {
  describe.each(INTERVALS)('every %i ms', (everyMs) => {
    const fault = START + 100 * everyMs + HOUR;
    const until = fault + Math.max(15 * MINUTE, 9 * everyMs);

    it.each([
      ['fails', { failures: 20 }],
      ['fails all its requests', { failedShare: 1 }],
      ['fails half of its requests', { failedShare: 0.5 }],
      ['takes three times as long', { factor: 3 }],
      ['takes six times as long', { factor: 6 }],
    ])('opens one incident for a service that %s, which fails until the end', (_, change) => {
      const events = eventsOf({ everyMs, until, broken: 'payments', fault, ...change });

      expect(events.map(({ type, incident }) => [type, incident.root])).toEqual([['opened', 'payments']]);
    });

    it('recovers once the metric is as usual again, and not between two reports', () => {
      const healed = until;
      const latest = healed + 4 * everyMs + MINUTE;
      const events = eventsOf({ everyMs, until: latest, broken: 'payments', fault, healed, factor: 6 });

      const activities = events.flatMap(({ type, at, incident }) =>
        type === 'activity' ? [[at > healed, incident.activity]] : [],
      );
      expect(activities.at(-1)).toEqual([true, 'recovered']);
      expect(activities.every(([isOver]) => isOver)).toBe(true);
    });

    it('opens none while values vary by a half and a few requests fail', () => {
      expect(eventsOf({ everyMs, until: START + 400 * everyMs })).toEqual([]);
    });
  });
});

describe('a deployment of a service that sends metrics alone, with new instances', () => {
  it.each([
    { failedShare: 1, roots: ['payments'] },
    { failedShare: 0, roots: [] },
  ])('opens $roots if they fail $failedShare of their requests from the start', ({ failedShare, roots }) => {
    const state = createEngineState();
    const deployed = START + 2 * HOUR;
    const events: CorrelationEvent[] = [];
    for (let at = START; at < deployed + 10 * MINUTE; at += MINUTE) {
      events.push(...advance(state, at));
      for (const [service, pod] of SHOP_SERVICES.flatMap((each) => ['a', 'b'].map((name) => [each, name] as const))) {
        const isNew = service === 'payments' && at >= deployed;
        const about = { service, at, instance: `${isNew ? 'new' : 'old'}-${pod}`, count: 100 };
        const value = isNew ? failedShare : 0;
        const name = 'share of failed requests';
        observe(state, { kind: 'metric', ...about, series: name, name, meaning: 'unavailability', value });
      }
    }

    expect(events.flatMap(({ type, incident }) => (type === 'opened' ? [incident.root] : []))).toEqual(roots);
  });
});

describe('a system that sends lines alone', () => {
  it.each([2, 15])(
    'opens an incident for an error that is new, every %i s, which is quiet when no more come',
    (everyS) => {
      const begins = START + 10 * MINUTE;
      const ends = begins + 3 * MINUTE;
      const state = createEngineState();
      const events: CorrelationEvent[] = [];
      for (let at = START; at < ends + 2 * MINUTE; at += SECOND) {
        events.push(...advance(state, at));
        observe(state, lineAt(at, 'info', 'letters sent'));
        if (at >= begins && at < ends && (at - begins) % (everyS * SECOND) === 0) {
          observe(state, lineAt(at, 'error', 'connection to smtp.example.com refused'));
        }
      }

      expect(events.map(({ type, incident }) => [type, incident.root])).toEqual([
        ['opened', 'mailer'],
        ['activity', 'mailer'],
      ]);
      expect(events.at(-1)?.incident.activity).toBe('quiet');
    },
  );

  function lineAt(at: number, severity: LogItem['severity'], text: string): LogItem {
    return { kind: 'log', service: 'mailer', at, severity, text, traceId: null, spanId: null };
  }

  /** A few lines come together now and then, and say less when they come again. */
  const hasBurst = (at: number) => (at - START) % HOUR > 50 * MINUTE && (at - START) % (5 * MINUTE) < 8 * SECOND;

  it.each(['web', 'payments', 'orders-db'])(
    '%s: opens one incident when an error line of bursts comes all the time',
    (broken) => {
      const state = createEngineState();
      const fault = START + 3 * HOUR;
      const events: CorrelationEvent[] = [];
      for (let at = START; at < fault + 10 * MINUTE; at += SECOND) {
        events.push(...advance(state, at));
        for (const service of SHOP_SERVICES) {
          const isBroken = service === broken && (at >= fault || hasBurst(at));
          const chance = fractionOf(at / SECOND, service);
          const severity = chance < (isBroken ? 0.3 : 0.003) ? 'error' : chance > 0.8 ? 'info' : null;
          if (severity !== null) {
            observe(state, lineOf(service, at, severity));
          }
        }
      }

      expect(events.flatMap(({ type, incident }) => (type === 'opened' ? [incident.root] : []))).toEqual([broken]);
    },
  );

  it.each([60, 120, 180])('opens one for a line that begins in a service that is known for %i s', (knownSeconds) => {
    const fault = START + knownSeconds * SECOND;
    const linesAt = (at: number) => [HANDLED, { text: 'no ledger', share: at < fault ? 0 : 1 }];
    const events = eventsOfLines(fault + 5 * MINUTE, ['app'], linesAt);

    const opened = events.filter(({ type }) => type === 'opened');
    expect(opened.map(({ incident }) => incident.root)).toEqual(['app']);
    expect(opened[0]?.at).toBeLessThanOrEqual(fault + 2 * MINUTE);
  });

  it.each([2, 5, 10, 20, 60, 120])('opens none for lines that always came, at random, every %i s', (everySeconds) => {
    const services = Array.from({ length: 40 }, (_, index) => `service-${index}`);

    const lines = [{ text: 'no flags', share: 1 / everySeconds }];

    expect(eventsOfLines(START + 20 * MINUTE, services, () => lines)).toEqual([]);
  });

  it('opens none for many different lines that come at random, each once in a minute', () => {
    const lines = 'abcdefghij'.split('').map((route) => ({ text: `GET /route-${route} failed`, share: 1 / 60 }));

    expect(eventsOfLines(START + 4 * HOUR, SHOP_SERVICES, () => lines)).toEqual([]);
  });
});

interface Line {
  readonly text: string;
  /** Of all seconds. */
  readonly share: number;
  readonly severity?: 'info' | 'error';
}

const HANDLED: Line = { text: 'request handled', share: 1, severity: 'info' };

function eventsOfLines(
  until: number,
  services: readonly string[],
  linesAt: (at: number) => readonly Line[],
): CorrelationEvent[] {
  const state = createEngineState();
  const events: CorrelationEvent[] = [];
  for (let at = START; at < until; at += SECOND) {
    events.push(...advance(state, at));
    for (const service of services) {
      for (const { text, share, severity = 'error' } of linesAt(at)) {
        if (fractionOf(at / SECOND, service + text) < share) {
          observe(state, { ...lineOf(service, at, severity), text });
        }
      }
    }
  }
  return events;
}

function lineOf(service: string, at: number, severity: 'info' | 'error'): LogItem {
  const text = severity === 'error' ? 'time-out of the upstream' : 'request handled';
  return { kind: 'log', service, at, severity, text, traceId: null, spanId: null };
}

interface MetricSystem {
  readonly everyMs: number;
  readonly until: number;
  readonly broken?: string;
  readonly fault?: number;
  readonly healed?: number;
  readonly factor?: number;
  readonly failures?: number;
  readonly failedShare?: number;
}

function eventsOf(system: MetricSystem): CorrelationEvent[] {
  const state = createEngineState();
  const events: CorrelationEvent[] = [];
  for (let at = START; at < system.until; at += system.everyMs) {
    for (const item of SHOP_SERVICES.flatMap((service) => report(system, service, at))) {
      events.push(...advance(state, item.at));
      observe(state, item);
    }
  }
  return [...events, ...advance(state, system.until)].map((event) => ({ ...event, incident: { ...event.incident } }));
}

/** What a service reports at once: its mean duration, a quantile of it, and how many requests failed. */
function report(system: MetricSystem, service: string, at: number): MetricItem[] {
  const { everyMs, broken, fault = Number.POSITIVE_INFINITY, healed = Number.POSITIVE_INFINITY } = system;
  const { factor = 1, failures = 0, failedShare = 0 } = system;
  const look = (at - START) / everyMs;
  const isBroken = service === broken && at >= fault && at < healed;
  const varied = 0.75 + 0.5 * fractionOf(look, service);
  const failed = fractionOf(look, `${service} fails`) < 0.2 ? 1 : 0;
  const values = [
    ['duration', 'mean', 0.05 * varied * (isBroken ? factor : 1)],
    ['duration', 'p99', 0.2 * varied * (isBroken ? factor : 1)],
    ['failures', 'errors', failed + (isBroken ? failures : 0)],
    ['unavailability', 'share of failed requests', isBroken && failedShare > 0 ? failedShare : failed / 20],
  ] as const;
  return values.map(([meaning, name, value]) => {
    return { kind: 'metric', service, at, series: name, instance: null, name, meaning, value, count: 20 };
  });
}
