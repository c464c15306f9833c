import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feedEngine } from '../../../test/support/feed-engine.ts';
import { simulateShop } from '../../../test/support/simulated-shop.ts';
import type { Lesson } from '../core/lesson.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { advance, createEngineState, type EngineState, obey, observe } from './engine.ts';
import { fromSnapshot, toSnapshot } from './engine-state.ts';
import type { Incident } from './grouping/incident.ts';
import { taughtByIncident } from './grouping/taught.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 8 * MINUTE;
const TAUGHT = START + 14 * MINUTE;
const WORSE = START + 24 * MINUTE;
const END = START + 30 * MINUTE;
/** Shares that open an incident, so that somebody closes it. */
const SHARES = [0.06, 0.1, 0.2, 0.5];

describe('an incident that was closed as not a problem', () => {
  it.each(SHARES)('does not open again while the same share of requests fails (%f)', (share) => {
    expect(openedAfterLesson({ share })).toEqual([]);
  });

  it('opens again without the lesson', () => {
    expect(openedAfterLesson({ share: 0.1, isTaught: false })).not.toEqual([]);
  });

  it('opens again once the lesson is forgotten', () => {
    const opened = openedAfterLesson({ share: 0.1, forgottenAt: WORSE });

    expect(opened.map(({ root }) => root)).toEqual(['payments']);
    expect(opened[0]?.openedAt).toBeGreaterThanOrEqual(WORSE);
  });

  it('opens again once the lesson has ended by itself', () => {
    expect(openedAfterLesson({ share: 0.1, until: WORSE }).map(({ root }) => root)).toEqual(['payments']);
  });

  it('opens again for several times the share, whatever was taught', () => {
    const share = fc.double({ min: 0.05, max: 0.2, noNaN: true });
    const times = fc.double({ min: 4, max: 20, noNaN: true });

    fc.assert(
      fc.property(share, times, (usual, factor) => {
        const opened = openedAfterLesson({ share: usual, worse: Math.min(1, usual * factor) });

        expect(opened.map(({ root }) => root)).toEqual(['payments']);
        expect(opened[0]?.openedAt).toBeLessThanOrEqual(WORSE + 2 * MINUTE);
      }),
      { numRuns: 5, seed: 7 },
    );
  });

  it.each([...SHARES, 1])('opens again within a minute for a total outage, when a share of %f was taught', (share) => {
    const [opened] = openedAfterLesson({ share, worse: 1, healthyFrom: TAUGHT });

    expect(opened?.root).toBe('payments');
    expect(opened?.openedAt).toBeLessThanOrEqual(WORSE + MINUTE);
  });

  it('opens at the usual speed for another kind of failure at the same place', () => {
    const isGone = (service: string, at: number) => service === 'payments' && at >= WORSE;

    const [opened] = openedAfterLesson({ share: 0.5, healthyFrom: TAUGHT, isGone });

    expect(opened?.root).toBe('payments');
    expect(opened?.openedAt).toBeLessThanOrEqual(WORSE + 20 * SECOND);
  });

  it('says so when it opens in spite of the lesson', () => {
    const [opened] = openedAfterLesson({ share: 0.1, worse: 1 });

    const beyond = [...(opened?.members.values() ?? [])].flatMap(({ evidence }) => evidence.beyond ?? []);
    expect(beyond[0]?.incident).toBe(1);
    expect(beyond[0]?.share).toBeGreaterThan(0.05);
  });

  it('leads to the same after a snapshot', () => {
    const inMemory = openedAfterLesson({ share: 0.1, worse: 0.6 });
    const restored = openedAfterLesson({ share: 0.1, worse: 0.6, isRestored: true });

    expect(restored.map(({ openedAt, root }) => [openedAt, root])).toEqual(
      inMemory.map(({ openedAt, root }) => [openedAt, root]),
    );
  });
});

interface Course {
  /** Share of its requests that `payments` fails from `FAULT` on. */
  readonly share: number;
  /** The same from `WORSE` on. */
  readonly worse?: number;
  /** Since when it is healthy, up to `WORSE`. */
  readonly healthyFrom?: number;
  readonly isGone?: (service: string, at: number) => boolean;
  readonly isTaught?: boolean;
  readonly forgottenAt?: number;
  readonly until?: number;
  readonly isRestored?: boolean;
}

/** Incidents that opened after the first one was closed with a lesson at `TAUGHT`. */
function openedAfterLesson(course: Course): Incident[] {
  const { isTaught = true, forgottenAt = Number.POSITIVE_INFINITY } = course;
  let state = createEngineState();
  const incidents = new Map<number, Incident>();
  const spans = spansOf(course);
  const before = spans.filter(({ at }) => at < TAUGHT);
  feedEngine(state, before, TAUGHT);
  const lessons = lessonsOf(state, course.until);
  obey(state, { kind: 'teach', at: TAUGHT, lessons: isTaught ? lessons : [] });
  state.correlation.live.byNumber.clear();
  state = course.isRestored === true ? fromSnapshot<EngineState>(toSnapshot(state)) : state;
  let isForgotten = false;
  const moveOn = (at: number) => {
    for (const event of advance(state, at)) {
      incidents.set(event.incident.number, event.incident);
    }
  };
  for (const item of spans.slice(before.length)) {
    moveOn(item.at);
    if (item.at >= forgottenAt && !isForgotten) {
      isForgotten = true;
      obey(state, { kind: 'forget', at: item.at, ids: lessons.map(({ id }) => id) });
    }
    observe(state, item);
  }
  moveOn(END + 30 * SECOND);
  return [...incidents.values()].filter(({ mergedInto }) => mergedInto === null);
}

function lessonsOf({ correlation: { live } }: EngineState, until = Number.POSITIVE_INFINITY): Lesson[] {
  const [incident] = live.byNumber.values();
  expect(incident?.root).toBe('payments');
  const taught = incident === undefined ? [] : taughtByIncident(incident);
  expect(taught).not.toEqual([]);
  return taught.map((each, index) => ({ id: `les_${index}`, incident: 1, at: TAUGHT, until, taught: each }));
}

function spansOf({ share, worse = share, healthyFrom = WORSE, isGone = () => false }: Course): SpanItem[] {
  const isBroken = (service: string, at: number) => {
    const present = at < FAULT || (at >= healthyFrom && at < WORSE) ? 0 : at < WORSE ? share : worse;
    return service === 'payments' && isGone(service, at) === false && chanceAt(at) < present;
  };
  const all = simulateShop({ from: START, to: END, isBroken, isGone, requestEveryMs: 500 });
  return all.flatMap((item) => (item.kind === 'span' ? [item] : [])).toSorted((a, b) => a.at - b.at);
}

/** @returns a number from 0 to 1 that looks random and is always the same */
function chanceAt(at: number): number {
  const mixed = Math.imul(Math.floor(at) ^ (at >>> 13), 2_246_822_519);
  const again = Math.imul(mixed ^ (mixed >>> 15), 3_266_489_917);
  return ((again ^ (again >>> 13)) >>> 0) / 2 ** 32;
}
