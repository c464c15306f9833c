import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { simulateShop } from '../../../test/support/simulated-shop.ts';
import type { Evidence } from '../core/evidence.ts';
import type { TelemetryItem } from '../core/telemetry-item.ts';
import { advance, correlateEvidence, createEngineState, type EngineState, observe } from './engine.ts';
import { fromSnapshot, toSnapshot } from './engine-state.ts';
import type { CorrelationEvent } from './grouping/correlation-state.ts';
import type { Incident } from './grouping/incident.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const BATCH_MS = 5_000;
const BATCHES = 60;
const RUNS = { numRuns: runs(8) };

describe('the order of telemetry within a slot', () => {
  it('changes nothing', () => {
    const expected = replay(batches());

    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (numbers) => {
        const shuffled = batches().map((batch) => shuffle(batch, numbers));

        expect(replay(shuffled)).toEqual(expected);
      }),
      RUNS,
    );
  });
});

describe('the times at which `advance` is called', () => {
  it('change nothing, even after a silence', () => {
    const items = [...batches().flat(), ...failingLines(START + 20 * 60_000)];
    const until = START + 25 * 60_000;
    const expected = askedAt(items, until, () => true);

    expect(expected.map(({ type }) => type)).toContain('opened');
    expect(askedAt(items, until, () => false)).toEqual(expected);
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 1, max: 200 })), (pauses) => {
        let next = START;
        const isAsked = (at: number) => {
          const isDue = at >= next;
          next = isDue ? at + (pauses.next().value ?? 1) * BATCH_MS : next;
          return isDue;
        };

        expect(askedAt(items, until, isAsked)).toEqual(expected);
      }),
      RUNS,
    );
  });
});

describe('spans that are sent again', () => {
  it('change nothing', () => {
    const twice = batches().map((batch) =>
      batch.flatMap((item): TelemetryItem[] => (item.kind === 'span' ? [item, item] : [item])),
    );

    expect(replay(twice)).toEqual(replay(batches()));
  });
});

describe('a restart', () => {
  it('at any time leads to the same incidents as no restart', () => {
    const expected = replay(batches());

    fc.assert(
      fc.property(fc.nat({ max: BATCHES - 1 }), (crash) => {
        expect(replay(batches(), crash)).toEqual(expected);
      }),
      RUNS,
    );
  });
});

describe('evidence that was judged elsewhere', () => {
  it('is counted completely, each in exactly one incident', () => {
    fc.assert(
      fc.property(fc.array(fc.array(alert(), { maxLength: 20 }), { maxLength: 20 }), (sent) => {
        const incidents = new Map<number, Incident>();
        const state = createEngineState();
        for (const [index, evidence] of sent.entries()) {
          for (const { incident } of correlateEvidence(state, START + index * 1_000, unique(evidence))) {
            incidents.set(incident.number, incident);
          }
        }

        const members = [...incidents.values()].flatMap((incident) => [...incident.members.values()]);
        const counted = members.reduce((sum, { times }) => sum + times, 0);
        expect(counted).toBe(sent.flatMap(unique).length);
        expect(new Set(members.map(({ evidence }) => evidence.fingerprint)).size).toBe(members.length);
      }),
    );
  });

  it('gives the same incidents in any order within a moment', () => {
    fc.assert(
      fc.property(fc.array(alert(), { maxLength: 30 }), fc.infiniteStream(fc.nat()), (evidence, numbers) => {
        const one = correlateEvidence(createEngineState(), START, unique(evidence));
        const other = correlateEvidence(createEngineState(), START, shuffle(unique(evidence), numbers));

        expect(describeIncidents(other)).toEqual(describeIncidents(one));
      }),
    );
  });
});

/** Five minutes of a shop in which a service breaks for a while, in slots. */
function batches(): TelemetryItem[][] {
  const isBroken = (service: string, at: number) =>
    service === 'bank-gateway' && at > START + 180_000 && at < START + 230_000;
  const items = simulateShop({ from: START, to: START + BATCHES * BATCH_MS, isBroken, requestEveryMs: 500 });
  return Array.from({ length: BATCHES }, (_, index) =>
    items.filter(({ at }) => Math.floor((at - START) / BATCH_MS) === index),
  );
}

/** A few error lines without a trace. */
function failingLines(from: number): TelemetryItem[] {
  const about = { kind: 'log', service: 'web', severity: 'error', text: 'cannot connect' } as const;
  return Array.from({ length: 12 }, (_, index) => ({
    ...about,
    at: from + index * 1_000,
    traceId: null,
    spanId: null,
  }));
}

/** Feeds telemetry in order of time, and calls `advance` only at the ends of some slots, and of the last. */
function askedAt(items: readonly TelemetryItem[], until: number, isAsked: (at: number) => boolean) {
  const state = createEngineState();
  const events: CorrelationEvent[] = [];
  let next = 0;
  for (let at = START + BATCH_MS; at <= until; at += BATCH_MS) {
    for (let item = items[next]; item !== undefined && item.at < at; item = items[next]) {
      observe(state, item);
      next += 1;
    }
    if (at === until || isAsked(at)) {
      events.push(...advance(state, at));
    }
  }
  // The engine notices a time without failures only when `advance` is called.
  const told = events.filter(({ type }) => type !== 'activity');
  return told.map(({ type, at, incident }) => ({ type, at, number: incident.number, openedAt: incident.openedAt }));
}

/** @param crash index of the batch after which only the snapshot is left */
function replay(all: readonly (readonly TelemetryItem[])[], crash?: number) {
  let state: EngineState = createEngineState();
  return all.flatMap((batch, index) => {
    for (const item of batch) {
      observe(state, item);
    }
    const told = describeIncidents(advance(state, START + (index + 1) * BATCH_MS));
    state = index === crash ? fromSnapshot<EngineState>(toSnapshot(state)) : state;
    return told;
  });
}

function describeIncidents(events: readonly CorrelationEvent[]) {
  return events.map(({ type, at, incident }) => ({
    type,
    at,
    number: incident.number,
    root: incident.root,
    activity: incident.activity,
    fingerprints: [...incident.members.keys()].toSorted(),
  }));
}

function alert(): fc.Arbitrary<Evidence> {
  const about = {
    origin: 'alert',
    sender: 'key',
    family: 'alert',
    peer: null,
    instance: null,
    traceId: null,
    hasEnded: null,
  } as const;
  return fc.record({ service: fc.constantFrom('a', 'b', 'c', 'd'), name: fc.constantFrom('x', 'y', 'z') }).map(
    ({ service, name }): Evidence => ({
      ...about,
      service,
      fingerprint: `${service}|${name}`,
      subject: name,
      at: START,
      strength: 1,
      rarity: 1,
      now: 1,
      usual: 0,
      count: 1,
    }),
  );
}

function unique(evidence: readonly Evidence[]): Evidence[] {
  return [...new Map(evidence.map((found) => [found.fingerprint, found])).values()];
}

function shuffle<Item>(items: readonly Item[], numbers: fc.Stream<number>): Item[] {
  const keys = [...numbers.take(items.length)];
  return items
    .map((item, index) => ({ item, key: keys[index] ?? 0 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
