import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anySignals, calls, START_MS, signal } from '../../../test/support/signal-builders.ts';
import type { StoredSignal } from '../core/signal.ts';
import { type CorrelationInput, correlate, type LiveIncident } from './correlate.ts';

/** A run at 08:10, after all groups have settled. */
function run(waiting: readonly StoredSignal[], input: Partial<CorrelationInput> = {}) {
  const now = new Date(START_MS + 600_000);
  return correlate({ now, waiting, incidents: [], calls: [], ...input });
}

/** By default an incident of payments, open since 08:00. */
function incident(fields: Partial<LiveIncident> = {}): LiveIncident {
  return {
    id: 'inc_1',
    openedAt: new Date(START_MS),
    lastSignalAt: new Date(START_MS),
    closedAt: null,
    services: ['payments'],
    rootService: 'payments',
    ...fields,
  };
}

/** An alert of another system. */
const ALERT = { type: 'alert', reportsEnd: false } as const;

function idsOf(signals: readonly StoredSignal[]): string[] {
  return signals.map(({ id }) => id);
}

/** Ids of the signals in each new incident. */
function openedBy(...args: Parameters<typeof run>): (readonly string[])[] {
  return run(...args).opened.map(({ signalIds }) => signalIds);
}

describe('an incident opens', () => {
  it.each([
    ['three occurrences of one failure', [signal({ occurrences: 3 })], 1],
    ['three failures of one service', [signal(), signal(), signal()], 1],
    ['two kinds of signals', [signal(), signal({ type: 'log' })], 1],
    ['one critical signal', [signal({ severity: 'critical' })], 1],
    ['one alert of another system', [signal({ type: 'metric', detail: ALERT })], 1],
    ['an alert of severity info', [signal({ type: 'metric', detail: ALERT, severity: 'info' })], 0],
    ['a single failure', [signal()], 0],
    ['two occurrences', [signal({ occurrences: 2 })], 0],
  ])('by %s: %#', (_, signals, opened) => {
    expect(openedBy(signals)).toEqual(opened === 0 ? [] : [idsOf(signals)]);
  });

  it('for two connected services, not for two unconnected ones', () => {
    const signals = [signal({ service: 'web' }), signal({ service: 'payments' })];

    expect(openedBy(signals, { calls: calls('web', 'payments') })).toEqual([idsOf(signals)]);
    expect(openedBy(signals)).toEqual([]);
  });

  it('only after its first signal has settled', () => {
    const signals = [signal({ occurrences: 9 })];

    expect(openedBy(signals, { now: new Date(START_MS + 2_999) })).toEqual([]);
    expect(openedBy(signals, { now: new Date(START_MS + 3_000) })).toEqual([idsOf(signals)]);
  });

  it('at once for an alert of a service without known neighbours', () => {
    const alert = signal({ service: 'web', type: 'metric', detail: ALERT, traceId: null });
    const now = new Date(START_MS);

    expect(openedBy([alert], { now })).toEqual([[alert.id]]);
    expect(openedBy([alert], { now, calls: calls('web', 'payments') })).toEqual([]);
    expect(openedBy([alert, signal({ service: 'web' })], { now })).toEqual([]);
  });
});

describe('new signals belong together', () => {
  const grouped = (one: StoredSignal, other: StoredSignal, graph: CorrelationInput['calls']) =>
    openedBy([one, other], { calls: graph }).length;
  const web = signal({ service: 'web', occurrences: 3 });
  const bank = signal({ service: 'bank', occurrences: 3 });

  it.each([
    ['a call', calls('web', 'bank')],
    ['a call through a service without signals', [...calls('web', 'payments'), ...calls('payments', 'bank')]],
    ['a failing service that both call', [...calls('web', 'db', 1), ...calls('bank', 'db', 1)]],
  ])('over %s', (_, graph) => {
    expect(grouped(web, bank, graph)).toBe(1);
  });

  it.each([
    ['a healthy service that both call', [...calls('web', 'db'), ...calls('bank', 'db')]],
    ['three calls', [...calls('web', 'a'), ...calls('a', 'b'), ...calls('b', 'bank')]],
  ])('not over %s', (_, graph) => {
    expect(grouped(web, bank, graph)).toBe(2);
  });

  it('when they have the same trace', () => {
    const traceId = 'a'.repeat(32);

    expect(grouped({ ...web, traceId }, { ...bank, traceId }, [])).toBe(1);
  });

  it('unless they are more than five minutes apart', () => {
    const failing = { occurrences: 3, lastsSeconds: 60 };

    expect(openedBy([signal(failing), signal({ ...failing, atSeconds: 360 })])).toHaveLength(1);
    expect(openedBy([signal(failing), signal({ ...failing, atSeconds: 361 })])).toHaveLength(2);
  });

  it('when a third one connects them, however late it arrives', () => {
    const signals = [web, bank, signal({ service: 'payments', atSeconds: 5 })];
    const graph = [...calls('web', 'x'), ...calls('x', 'payments'), ...calls('payments', 'y'), ...calls('y', 'bank')];

    expect(openedBy(signals, { calls: graph })).toEqual([expect.arrayContaining(idsOf(signals))]);
  });
});

describe('a signal joins an open incident', () => {
  const graph = [
    ...calls('web', 'checkout'),
    ...calls('checkout', 'payments'),
    ...calls('payments', 'bank'),
    ...calls('web', 'catalog'),
  ];
  const joins = (fields: Parameters<typeof signal>[0], live: LiveIncident) => {
    const late = signal(fields);
    return run([late], { incidents: [live], calls: graph }).joined.length === 1;
  };

  it.each([
    ['of a member', 'payments', true],
    ['of a callee of the root', 'bank', true],
    ['of a service two calls before the root', 'web', true],
    ['of an unconnected service', 'mail', false],
  ])('%s', (_, service, expected) => {
    expect(joins({ service }, incident())).toBe(expected);
  });

  it('of a caller of a member, but not of another callee of a member', () => {
    const live = incident({ rootService: 'bank', services: ['bank', 'payments', 'checkout'] });

    expect(joins({ service: 'web' }, live)).toBe(true);
    expect(joins({ service: 'catalog' }, { ...live, services: [...live.services, 'web'] })).toBe(false);
  });

  it('until five minutes after its last signal', () => {
    expect(joins({ atSeconds: 300 }, incident())).toBe(true);
    expect(joins({ atSeconds: 301 }, incident())).toBe(false);
  });

  it('if two fit, the older one', () => {
    const younger = incident({ id: 'inc_0', openedAt: new Date(START_MS + 1) });
    const late = signal({ atSeconds: 9 });

    const { joined } = run([late], { incidents: [younger, incident()] });

    expect(joined).toEqual([{ incidentId: 'inc_1', signalIds: [late.id] }]);
  });

  it('if a later signal that joins connects it', () => {
    const live = incident({ rootService: 'bank', services: ['bank'] });
    const signals = [signal({ service: 'web', atSeconds: 1 }), signal({ service: 'checkout', atSeconds: 2 })];

    const { joined } = run(signals, { incidents: [live], calls: graph });

    expect(joined).toEqual([{ incidentId: 'inc_1', signalIds: expect.arrayContaining(idsOf(signals)) }]);
  });

  it('for at most 90 minutes; then a new incident opens and names the old one', () => {
    const openedAt = new Date(START_MS - 90 * 60_000);
    const failure = signal({ occurrences: 3 });

    const { joined, opened } = run([failure], { incidents: [incident({ openedAt })] });

    expect(joined).toEqual([]);
    expect(opened).toEqual([{ signalIds: [failure.id], previousIncidentId: 'inc_1' }]);
  });
});

describe('a signal after an incident was closed', () => {
  const closed = incident({ openedAt: new Date(START_MS - 60_000), closedAt: new Date(START_MS) });

  it('joins it silently for ten minutes if it has the same root', () => {
    const now = new Date(START_MS + 700_000);

    expect(run([signal({ atSeconds: 600 })], { now, incidents: [closed] }).joined).toHaveLength(1);
    expect(run([signal({ atSeconds: 601 })], { now, incidents: [closed] }).joined).toHaveLength(0);
  });

  it('joins it together with signals of its callers', () => {
    const signals = [signal({ service: 'web' }), signal({ service: 'payments' })];

    const { joined, opened } = run(signals, { incidents: [closed], calls: calls('web', 'payments') });

    expect(joined).toEqual([{ incidentId: 'inc_1', signalIds: expect.arrayContaining(idsOf(signals)) }]);
    expect(opened).toEqual([]);
  });

  it('opens a new one at once if its root differs, even if the same callers fail', () => {
    const signals = [signal({ service: 'web' }), signal({ service: 'orders' })];
    const incidents = [{ ...closed, services: ['payments', 'web'] }];

    const { joined, opened } = run(signals, {
      incidents,
      calls: [...calls('web', 'payments'), ...calls('web', 'orders')],
    });

    expect(joined).toEqual([]);
    expect(opened).toEqual([{ signalIds: expect.arrayContaining(idsOf(signals)), previousIncidentId: null }]);
  });

  it('waits for the neighbours to report before its root is decided', () => {
    const now = new Date(START_MS + 2_000);

    expect(run([signal({ service: 'web', occurrences: 9 })], { now, incidents: [closed] })).toEqual({
      joined: [],
      opened: [],
    });
  });

  it('joins an open one if there is one', () => {
    const open = incident({ id: 'inc_2', openedAt: new Date(START_MS + 1) });

    expect(run([signal({ atSeconds: 9 })], { incidents: [closed, open] }).joined).toMatchObject([
      { incidentId: 'inc_2' },
    ]);
  });

  it('opens a new one later, which names the latest one of the same root', () => {
    const older = incident({ id: 'inc_0', openedAt: new Date(0), closedAt: new Date(START_MS - 1) });
    const other = incident({ id: 'inc_2', closedAt: new Date(START_MS), rootService: 'web', services: ['web'] });
    const failure = signal({ occurrences: 3, atSeconds: 601 });
    const now = new Date(START_MS + 700_000);

    const { opened } = run([failure], { now, incidents: [other, closed, older] });

    expect(opened).toEqual([{ signalIds: [failure.id], previousIncidentId: 'inc_1' }]);
  });
});

describe('every correlation', () => {
  const incidents = [
    incident({ services: ['a'], rootService: 'a' }),
    incident({ id: 'inc_2', services: ['b', 'c'], rootService: 'c', openedAt: new Date(START_MS + 60_000) }),
    incident({ id: 'inc_3', services: ['d'], rootService: 'd', closedAt: new Date(START_MS + 90_000) }),
  ];
  const now = new Date(START_MS + 3_600_000);

  it('assigns each given signal to at most one incident', () => {
    fc.assert(
      fc.property(anySignals({ minLength: 0 }), ({ signals, graph }) => {
        const taken = signals.slice(0, 2).map((each) => ({ ...each, id: `${each.id}_taken`, incidentId: 'inc_9' }));
        const input = { now, waiting: [...signals, ...signals, ...taken], incidents, calls: graph };
        const { joined, opened } = correlate(input);

        const ids = [...joined, ...opened].flatMap(({ signalIds }) => signalIds);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.every((id) => signals.some((each) => each.id === id))).toBe(true);
        expect([...joined, ...opened].every(({ signalIds }) => signalIds.length > 0)).toBe(true);
      }),
    );
  });

  it('does not depend on the order of its input', () => {
    fc.assert(
      fc.property(anySignals({ minLength: 0 }), ({ signals, graph }) => {
        const input = { now, waiting: signals, incidents, calls: graph };
        const reversed = {
          now,
          waiting: signals.toReversed(),
          incidents: incidents.toReversed(),
          calls: graph.toReversed(),
        };
        expect(correlate(reversed)).toEqual(correlate(input));
      }),
    );
  });

  it('has nothing left to do once its result is applied', () => {
    fc.assert(
      fc.property(anySignals({ minLength: 0 }), ({ signals, graph }) => {
        const { joined, opened } = correlate({ now, waiting: signals, incidents, calls: graph });
        const done = new Set([...joined, ...opened].flatMap(({ signalIds }) => signalIds));
        const left = signals.filter(({ id }) => !done.has(id));

        expect(correlate({ now, waiting: left, incidents, calls: graph })).toEqual({ joined: [], opened: [] });
      }),
    );
  });

  it('of 20,000 signals of a thousand services is done in time', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `service-${index}`);
    const graph = names.flatMap((from, index) => calls(from, `service-${(index * 7 + 1) % 1_000}`, 1));
    const waiting = Array.from({ length: 20_000 }, (_, index) =>
      signal({ service: `service-${index % 1_000}`, traceId: `trace-${index}` }),
    );
    const startedAt = performance.now();

    const { opened } = correlate({ now, waiting, incidents, calls: graph });

    expect(opened.flatMap(({ signalIds }) => signalIds)).toHaveLength(20_000);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
