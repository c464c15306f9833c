import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { SHOP_SERVICES, simulateShop } from '../../../test/support/simulated-shop.ts';
import type { TelemetryItem } from '../core/telemetry-item.ts';
import { advance, close, createEngineState, type EngineState } from './engine.ts';
import type { CorrelationEvent } from './grouping/correlation-state.ts';
import type { Incident } from './grouping/incident.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');

describe('an incident', () => {
  it.each(SHOP_SERVICES)('names %s when it alone breaks', (service) => {
    const { incidents } = run(broken([service, 5, 7]), 7);

    expect(incidents().map(({ root }) => root)).toEqual([service]);
  });

  it('opens within 30 seconds of the fault', () => {
    const { events } = run(broken(['bank-gateway', 5, 7]), 7);

    const opened = events.find(({ type }) => type === 'opened');
    expect(opened?.at).toBeLessThanOrEqual(START + 5 * MINUTE + 30 * SECOND);
  });

  it('opens for each of two services that break at once', () => {
    const { incidents } = run(broken(['bank-gateway', 5, 7], ['catalog', 5, 7]), 7);

    expect(
      incidents()
        .map(({ root }) => root)
        .toSorted(),
    ).toEqual(['bank-gateway', 'catalog']);
  });

  it('opens for each service that breaks after another, even if nobody closes the earlier one', () => {
    const { incidents } = run(broken(['orders-db', 5, 7], ['inventory', 9, 11], ['bank-gateway', 13, 15]), 16);

    expect(incidents().map(({ root }) => root)).toEqual(['orders-db', 'inventory', 'bank-gateway']);
  });

  it('fails again when the same service breaks again before anybody has closed it', () => {
    const { incidents } = run(broken(['bank-gateway', 5, 7], ['bank-gateway', 12, 14]), 14);

    expect(incidents().map(({ root, activity }) => [root, activity])).toEqual([['bank-gateway', 'failing']]);
  });

  it('does not name a past incident of another root as the same', () => {
    const { incidents } = run(broken(['bank-gateway', 5, 7], ['inventory', 12, 14]), 14);

    expect(incidents().at(-1)?.previous).toBeNull();
  });

  it('does not open while everything works', () => {
    const { incidents } = run(broken(), 20);

    expect(incidents()).toEqual([]);
  });
});

describe('activity', () => {
  it('is recovered within 60 seconds of the repair, while customers go on', () => {
    const { events } = run(broken(['bank-gateway', 5, 7]), 10);

    const recovered = events.find((event) => event.type === 'activity');
    expect(recovered?.incident.activity).toBe('recovered');
    expect(recovered?.at).toBeLessThanOrEqual(START + 8 * MINUTE);
  });

  it('is failing as long as the fault lasts', () => {
    const { events, incidents } = run(broken(['bank-gateway', 5, 25]), 25);

    expect(events.filter(({ type }) => type === 'activity')).toEqual([]);
    expect(incidents()).toHaveLength(1);
  });

  it('recovers as fast when half of the spans are lost but their log lines arrive', () => {
    const items = shop(broken(['bank-gateway', 5, 7]), 10).filter(
      (item) => item.kind !== 'span' || Number(item.traceId) % 2 === 0,
    );
    const events = feed(createEngineState(), items);

    const recovered = events.find((event) => event.type === 'activity');
    expect(recovered?.at).toBeLessThanOrEqual(START + 7 * MINUTE + 45 * SECOND);
  });

  it('is quiet when calls stop', () => {
    const state = createEngineState();
    feed(state, shop(broken(['bank-gateway', 5, 7]), 7));

    const [incident] = advance(state, START + 10 * MINUTE).map((event) => event.incident);

    expect(incident?.activity).toBe('quiet');
  });
});

describe('closing', () => {
  it('opens a new incident for a failure that lasts only after the cooldown', () => {
    const state = createEngineState();
    const items = shop(broken(['bank-gateway', 5, 25]), 25);
    const before = items.filter(({ at }) => at < START + 7 * MINUTE);
    const opened = feed(state, before).find(({ type }) => type === 'opened');

    close(state, opened?.incident.number ?? 0, START + 7 * MINUTE);
    const after = feed(state, items.slice(before.length)).filter(({ type }) => type === 'opened');

    expect(after.map(({ incident }) => ({ root: incident.root, previous: incident.previous }))).toEqual([
      { root: 'bank-gateway', previous: 1 },
    ]);
    expect(after[0]?.at).toBeGreaterThanOrEqual(START + 17 * MINUTE);
  });

  /** Closes the first incident once it has recovered, a minute after its failure. */
  function closeAfterRecovery(isBroken: IsBroken) {
    const state = createEngineState();
    const items = shop(isBroken, 12);
    const before = items.filter(({ at }) => at < START + 7.5 * MINUTE);
    const first = feed(state, before).find(({ type }) => type === 'opened')?.incident;
    const activity = first?.activity;
    close(state, first?.number ?? 0, START + 8 * MINUTE);
    return { activity, events: feed(state, items.slice(before.length)) };
  }

  it('opens a new incident at once for a failure that comes after it had recovered', () => {
    const { activity, events } = closeAfterRecovery(broken(['bank-gateway', 5, 7], ['bank-gateway', 8.2, 12]));
    const opened = events.filter(({ type }) => type === 'opened');

    expect(activity).toBe('recovered');
    expect(opened.map(({ incident }) => [incident.root, incident.previous])).toEqual([['bank-gateway', 1]]);
    expect(opened[0]?.at).toBeLessThanOrEqual(START + 9 * MINUTE);
    expect(opened[0]?.incident.lost?.since).toBeGreaterThanOrEqual(START + 8 * MINUTE);
  });

  it('opens nothing for a request or two that are lost after it had recovered', () => {
    const { activity, events } = closeAfterRecovery(broken(['bank-gateway', 5, 7], ['bank-gateway', 8.2, 8.207]));

    expect(activity).toBe('recovered');
    expect(events.filter(({ type }) => type === 'opened')).toEqual([]);
  });
});

describe('a change', () => {
  it('opens nothing by itself', () => {
    const state = createEngineState();
    const change = { kind: 'change', service: 'bank-gateway', at: START + 6 * MINUTE, subject: '1.8.2' } as const;

    const events = feed(
      state,
      [...shop(broken(), 8), change].toSorted((a, b) => a.at - b.at),
    );

    expect(events).toEqual([]);
  });

  it('is evidence against the service that fails after it', () => {
    const state = createEngineState();
    const change = { kind: 'change', service: 'bank-gateway', at: START + 4 * MINUTE, subject: '1.8.2' } as const;

    const events = feed(
      state,
      [...shop(broken(['bank-gateway', 5, 7]), 7), change].toSorted((a, b) => a.at - b.at),
    );

    const families = events[0]?.incident.candidates[0]?.families.map(({ family }) => family);
    expect(families).toContain('change');
  });
});

describe('an alert of another system', () => {
  it('always opens an incident', () => {
    const events = feed(createEngineState(), [diskAlert(0, false)]);

    expect(events.map(({ type, incident }) => [type, incident.root])).toContainEqual(['opened', 'disk']);
  });

  it('keeps its incident failing until its sender says that it is over', () => {
    const state = createEngineState();
    const [opened] = feed(state, [diskAlert(0, false)]);
    advance(state, START + 30 * MINUTE);
    const before = opened?.incident.activity;

    feed(state, [diskAlert(31, true)]);

    expect([before, opened?.incident.activity]).toEqual(['failing', 'recovered']);
  });
});

function diskAlert(minute: number, hasEnded: boolean): TelemetryItem {
  const about = {
    instance: null,
    family: 'alert',
    peer: null,
    subject: 'DiskFull',
    strength: 1,
    traceId: null,
  } as const;
  return { kind: 'alert', service: 'disk', at: START + minute * MINUTE, fingerprint: 'disk-full', hasEnded, ...about };
}

type IsBroken = (service: string, at: number) => boolean;

/** @param faults service, and the minutes from and to which it is broken */
function broken(...faults: (readonly [service: string, from: number, to: number])[]): IsBroken {
  return (service, at) =>
    faults.some(([name, from, to]) => name === service && at >= START + from * MINUTE && at < START + to * MINUTE);
}

function shop(isBroken: IsBroken, minutes: number): TelemetryItem[] {
  return simulateShop({ from: START, to: START + minutes * MINUTE, isBroken });
}

function run(isBroken: IsBroken, minutes: number) {
  const events = feed(createEngineState(), shop(isBroken, minutes));
  const incidents = (): Incident[] => incidentsIn(events).filter(({ mergedInto }) => mergedInto === null);
  return { events, incidents };
}

function feed(state: EngineState, items: readonly TelemetryItem[]): CorrelationEvent[] {
  return feedEngine(state, items, (items.at(-1)?.at ?? 0) + 25 * SECOND);
}
