import { describe, expect, it } from 'vitest';
import { incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { Family, SpanItem } from '../core/telemetry-item.ts';
import { advance, createEngineState, observe } from './engine.ts';
import type { Incident } from './grouping/incident.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 6 * MINUTE;
const END = FAULT + 2 * MINUTE;

/** Adds the spans of one request; from the fault on, `isOut`. */
type Build = (add: ReturnType<typeof traceBuilder>, isOut: boolean, index: number) => void;

const TASK = { service: 'users', role: 'internal', operation: 'buy', durationMs: 40, isUntold: true } as const;
const GET = { service: 'users', role: 'client', operation: 'GET', durationMs: 20 } as const;
const SCRIPT = { ...GET, operation: 'visit', isUntold: true } as const;

describe('a task of a load generator or a browser, whose span does not tell how it ended', () => {
  it('is a request that people lost, if a call in it failed', () => {
    const [incident, ...others] = incidentsOf((add, isOut) => {
      const call = add(add(null, TASK), { ...GET, isFailed: isOut });
      add(call, { service: 'shop', durationMs: 18, isFailed: isOut });
    });

    expect(others).toEqual([]);
    expect(incident?.root).toBe('shop');
    expect(pathOf(incident)).toEqual(['shop', 'users']);
  });

  it('is one, if what failed is its page, for which it has no span of a call', () => {
    const [incident, ...others] = incidentsOf((add, isOut) => {
      add(add(null, TASK), { service: 'shop', durationMs: 18, isFailed: isOut });
    });

    expect(others).toEqual([]);
    expect(pathOf(incident)).toEqual(['shop', 'users']);
  });

  it('is none, if it tells that it went well', () => {
    const { isUntold: _, ...task } = TASK;
    const incidents = incidentsOf((add, isOut) => {
      add(add(null, task), { ...GET, peer: 'ads', isFailed: isOut });
      add(add(null, task), { ...GET, peer: 'ads' });
    });

    expect(lossesOf(incidents)).toEqual(['tolerated_failures']);
  });

  it.each([
    ['is none, if the same call went well after it', 20, 0, 'tolerated_failures'],
    ['is none, if the same call went well beside it', 0, 0, 'tolerated_failures'],
    ['is one, if a call of the same name went well before: it was another step', 0, 20, 'harmed_requests'],
  ])('%s', (_, wellMs, failedMs, family) => {
    const incidents = incidentsOf((add, isOut) => {
      const task = add(null, TASK);
      const start = task.at - task.durationMs;
      add(task, { ...GET, peer: 'shop', durationMs: 15, at: start + wellMs + 15 });
      add(task, { ...GET, peer: 'shop', durationMs: 15, at: start + failedMs + 15, isFailed: isOut });
    });

    expect(lossesOf(incidents)).toEqual([family]);
  });

  it('is none, if its service answers others: nobody waits for what it does beside that', () => {
    const incidents = incidentsOf((add, isOut) => {
      add(null, { service: 'shop', durationMs: 15 });
      add(add(null, { ...TASK, service: 'shop' }), { ...GET, service: 'shop', peer: 'flags', isFailed: isOut });
    });

    expect(lossesOf(incidents)).toEqual(['tolerated_failures']);
  });
});

describe('a call of a script, whose span does not tell how it ended', () => {
  it.each([
    ['by itself', null],
    ['in a task', TASK],
  ])('is lost without the answer that always comes: %s', (_, task) => {
    const [incident, ...others] = incidentsOf((add, isOut) => {
      const call = add(task === null ? null : add(null, task), isOut ? { ...SCRIPT, durationMs: 2 } : SCRIPT);
      if (!isOut) {
        add(call, { service: 'shop', durationMs: 18 });
      }
    });

    expect(others).toEqual([]);
    expect(incident?.root).toBe('shop');
    expect(pathOf(incident)).toEqual(['shop', 'users']);
  });

  it('went well, if a response tells so: the answer was not reported', () => {
    const { isUntold: _, ...call } = SCRIPT;

    expect(incidentsOf(answeredUnless((isOut) => isOut, call))).toEqual([]);
  });

  it('is not lost without an answer that did not always come', () => {
    expect(incidentsOf(answeredUnless((isOut, index) => isOut || index % 8 === 0))).toEqual([]);
  });

  it('opens no incident when spans of answers get lost', () => {
    expect(incidentsOf(answeredUnless((_, index) => index % 25 === 0))).toEqual([]);
  });

  it('is not lost when answers always come late', () => {
    const late = (span: SpanItem) => span.service === 'shop';

    expect(
      incidentsOf(
        answeredUnless(() => false),
        (span) => (late(span) ? 30 * SECOND : 0),
      ),
    ).toEqual([]);
  });
});

function answeredUnless(
  isSilent: (isOut: boolean, index: number) => boolean,
  script: typeof SCRIPT | Omit<typeof SCRIPT, 'isUntold'> = SCRIPT,
): Build {
  return (add, isOut, index) => {
    const call = add(null, script);
    if (!isSilent(isOut, index)) {
      add(call, { service: 'shop', durationMs: 18 });
    }
  };
}

/** @param lateMs how much later than at its end a span comes */
function incidentsOf(build: Build, lateMs: (span: SpanItem) => number = () => 0): Incident[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += 900 + (index % 5) * 40, index += 1) {
    build(traceBuilder(spans, at), at >= FAULT, index);
  }
  const state = createEngineState();
  const events = spans
    .map((span) => ({ span, comesAt: span.at + lateMs(span) }))
    .toSorted((a, b) => a.comesAt - b.comesAt)
    .flatMap(({ span, comesAt }) => {
      const told = advance(state, comesAt);
      observe(state, span);
      return told;
    });
  return incidentsIn([...events, ...advance(state, END + MINUTE)]).filter(({ mergedInto }) => mergedInto === null);
}

/** What requests lost, and what their callers got over. */
function lossesOf(incidents: readonly Incident[]): Family[] {
  const families = incidents.flatMap(({ members }) => [...members.values()].map(({ evidence }) => evidence.family));
  return [...new Set(families)].filter((family) => family === 'harmed_requests' || family === 'tolerated_failures');
}

function pathOf(incident: Incident | undefined): string[] | undefined {
  const evidence = [...(incident?.members.values() ?? [])].map((member) => member.evidence);
  return evidence.find(({ family }) => family === 'harmed_requests')?.lost?.path.map(({ service }) => service);
}
