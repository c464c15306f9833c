import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidence } from '../../../../test/support/evidence.ts';
import { runs } from '../../../../test/support/runs.ts';
import type { Evidence } from '../../core/evidence.ts';
import { close } from '../engine.ts';
import { fromSnapshot, toSnapshot } from '../engine-state.ts';
import { addCalls, createCallGraph, neighboursAt } from '../graph/call-graph.ts';
import { createJudgingState } from '../judging/judging-state.ts';
import { correlate } from './correlate.ts';
import { type CorrelationEvent, createCorrelationState } from './correlation-state.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const SLOT = 5_000;
/** Evidence waits this long for an incident. */
const WAITING_MS = 60_000;
const SERVICES = ['a', 'b', 'c', 'd', 'e'] as const;
const RUNS = { numRuns: runs(150) };

/** What happens in one slot of a small system. */
interface Slot {
  /** Slots since the one before. */
  readonly pause: number;
  readonly found: readonly Evidence[];
  readonly calls: readonly (readonly [caller: string, callee: string])[];
  readonly answering: readonly string[];
  /** Number of the incident that somebody closes, if there is one. */
  readonly closes: number | null;
}

describe('evidence', () => {
  it('is waiting or in exactly one incident, until its time is over', () => {
    fc.assert(
      fc.property(slots(), (script) => {
        const lastPlaced = new Map<string, number>();
        replay(script, {
          afterSlot: ({ correlation: { waiting, live } }, at, { found }) => {
            for (const { fingerprint } of found) {
              lastPlaced.set(fingerprint, at);
            }
            for (const [fingerprint, placedAt] of lastPlaced) {
              const homes = [...live.byNumber.values()].filter(
                ({ members }) => (members.get(fingerprint)?.lastAt ?? Number.NEGATIVE_INFINITY) >= placedAt,
              );
              const places = homes.length + (waiting.has(fingerprint) ? 1 : 0);
              expect({ fingerprint, places }).toEqual({
                fingerprint,
                places: at - placedAt > WAITING_MS ? Math.min(places, 1) : 1,
              });
            }
          },
        });
      }),
      RUNS,
    );
  });

  it('leads to the same incidents in any order within a slot', () => {
    fc.assert(
      fc.property(slots(), fc.infiniteStream(fc.nat()), (script, numbers) => {
        const shuffled = script.map((slot) => ({ ...slot, found: shuffle(slot.found, numbers) }));

        expect(replay(shuffled)).toEqual(replay(script));
      }),
      RUNS,
    );
  });
});

describe('a restart from a snapshot', () => {
  it('at any moment changes no event', () => {
    fc.assert(
      fc.property(slots(), fc.nat({ max: 30 }), (script, restartAt) => {
        expect(replay(script, { restartAt })).toEqual(replay(script));
      }),
      RUNS,
    );
  });
});

function createSystem() {
  return { judge: createJudgingState(), graph: createCallGraph(), correlation: createCorrelationState() };
}

type System = ReturnType<typeof createSystem>;

interface ReplayOptions {
  /** Index of the slot after which only the snapshot is left. */
  readonly restartAt?: number;
  readonly afterSlot?: (system: System, at: number, slot: Slot) => void;
}

/** @returns what was told, in order */
function replay(script: readonly Slot[], { restartAt, afterSlot }: ReplayOptions = {}) {
  let system = createSystem();
  let at = START;
  return script.flatMap((slot, index) => {
    at += SLOT * slot.pause;
    for (const [caller, callee] of slot.calls) {
      addCalls(system.graph, 'key', { caller, callee, calls: 1, failed: 0 }, at);
    }
    const moment = {
      at,
      evidence: slot.found.map((found) => ({ ...found, at })),
      answers: new Map(slot.answering.map((service) => [service, 1])),
      graph: neighboursAt(system.graph, at),
    };
    const told = correlate(system.correlation, moment).map(describeEvent);
    if (slot.closes !== null) {
      close(system, slot.closes, at);
    }
    system = index === restartAt ? fromSnapshot<System>(toSnapshot(system)) : system;
    afterSlot?.(system, at, slot);
    return told;
  });
}

function describeEvent(event: CorrelationEvent) {
  const { type, at, incident } = event;
  const { number, root, previous, activity, splitFrom, mergedInto, members } = incident;
  const counts = new Map([...members].map(([fingerprint, { times }]) => [fingerprint, times]));
  return { type, at, number, root, previous, activity, splitFrom, mergedInto, counts };
}

function slots(): fc.Arbitrary<Slot[]> {
  const service = fc.constantFrom(...SERVICES);
  const calls = fc.tuple(service, service).filter(([caller, callee]) => caller !== callee);
  const rarely = <Value>(value: fc.Arbitrary<Value>) => fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, value);
  return fc.array(
    fc.record({
      pause: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.integer({ min: 5, max: 40 })),
      found: fc.uniqueArray(someEvidence(), { maxLength: 6, selector: ({ fingerprint }) => fingerprint }),
      calls: fc.array(calls, { maxLength: 2 }),
      answering: fc.subarray([...SERVICES]),
      closes: rarely(fc.integer({ min: 1, max: 4 })),
    }),
    { maxLength: 30 },
  );
}

function someEvidence(): fc.Arbitrary<Evidence> {
  const service = fc.constantFrom(...SERVICES);
  const traceId = fc.constantFrom(null, null, null, 't1', 't2');
  const failing = fc
    .tuple(service, service)
    .filter(([caller, callee]) => caller !== callee)
    .map(([caller, callee]) => evidence({ service: caller, peer: callee, family: 'failed_calls' }));
  const own = fc
    .record({
      service,
      family: fc.constantFrom('alert', 'new_error_log', 'error_log', 'self_time', 'resource', 'failed_calls'),
      traceId,
    })
    .map((given) => evidence(given));
  return fc.oneof(failing, own);
}

function shuffle<Item>(items: readonly Item[], numbers: fc.Stream<number>): Item[] {
  const keys = [...numbers.take(items.length)];
  return items
    .map((item, index) => ({ item, key: keys[index] ?? 0 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
