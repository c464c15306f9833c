import { describe, expect, it } from 'vitest';
import { spanItem } from '../../../../test/support/span-item.ts';
import type { SpanItem } from '../../core/telemetry-item.ts';
import { advance, createEngineState, observe } from '../engine.ts';
import type { Incident } from '../grouping/incident.ts';

const SECOND = 1_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 8 * 60 * SECOND;

describe('lost requests', () => {
  it('are counted with the sampling weight that the sender gives', () => {
    const [one] = lostOf(() => ({}));
    const [ten] = lostOf(() => ({ weight: 10 }));

    expect(one?.evidence.lost?.requests).toBeGreaterThan(10);
    expect(ten?.evidence.lost?.requests).toBe(10 * (one?.evidence.lost?.requests ?? 0));
  });

  it('name the only replica that loses them', () => {
    const found = lostOf(
      (index) => ({ instance: `web-${index % 3}` }),
      (index) => index % 3 === 1,
    );

    expect(found[0]?.evidence.instance).toBe('web-1');
  });

  it('begin with the fault, not with one that was lost by chance shortly before', () => {
    const chance = (FAULT - START - 5 * SECOND) / 500;
    const [found] = harmIn(
      run(
        ['web'],
        (index, at) => ({ isFailed: index % 100 === 0 || index === chance || (at >= FAULT && index % 2 === 0) }),
        () => true,
        true,
      ),
    );
    const { since, lost } = found?.evidence ?? {};

    expect(since).toBeGreaterThanOrEqual(FAULT);
    expect(lost?.requests).toBeGreaterThan(10);
    expect(lost?.total).toBeGreaterThanOrEqual(2 * (lost?.requests ?? 0) - 1);
    expect(lost?.total).toBeLessThanOrEqual(2 * (lost?.requests ?? 0));
  });

  it('name no replica when all lose them alike', () => {
    const found = lostOf((index) => ({ instance: `web-${index % 3}` }));

    expect(found[0]?.evidence.instance).toBeNull();
  });
});

it('do not end between two of them where one comes a minute', () => {
  const state = createEngineState();
  const activities: string[] = [];
  for (let minute = 0; minute < 90; minute += 1) {
    const isFault = minute >= 60;
    const failing = isFault && minute % 2 === 0 ? 4 : 0;
    for (let request = 0; request < 6; request += 1) {
      const at = START + (60 * minute + 10 * request) * SECOND;
      for (const event of advance(state, at)) {
        activities.push(...(event.type === 'opened' ? ['opened'] : []));
      }
      observe(state, spanItem({ service: 'web', at, durationMs: 20, isFailed: request < failing }));
    }
  }

  expect(activities).toEqual(['opened']);
});

describe('callers without client spans', () => {
  it('are not blamed when two of them fail late because of the same callee', () => {
    const incidents = run(
      ['web', 'admin'],
      () => ({ isFailed: true, durationMs: 1_000 }),
      (_, at) => at < FAULT,
    );

    expect(incidents.map(({ root }) => root)).toEqual(['stock']);
  });
});

it('blames a place that is gone, though another caller reached it well before it was', () => {
  const state = createEngineState();
  const incidents = new Map<number, Incident>();
  for (let at = START; at < FAULT + 120 * SECOND; at += SECOND) {
    for (const { incident } of advance(state, at)) {
      incidents.set(incident.number, incident);
    }
    const isGone = at >= FAULT;
    const failsOnce = at === FAULT - 15 * SECOND;
    const callers = isGone ? ['web'] : ['web', 'admin'];
    for (const service of callers) {
      const { traceId } = spanItem();
      const add = (span: Partial<SpanItem>, isFailed: boolean) => {
        const item = spanItem({ traceId, at: at + 20, durationMs: 20, isFailed, ...span });
        observe(state, item);
        return item.spanId;
      };
      const entry = add({ service }, isGone || failsOnce);
      const call = { service, role: 'client', operation: 'POST', peer: 'stock', parentSpanId: entry } as const;
      const parentSpanId = add(call, isGone || failsOnce);
      if (!isGone) {
        add({ service: 'stock', durationMs: 10, parentSpanId }, failsOnce);
      }
    }
  }

  expect([...incidents.values()].map(({ root }) => root)).toEqual(['stock']);
});

/** Members about lost requests of `web`, which fails from `FAULT` on. */
function lostOf(about: (index: number) => Partial<SpanItem>, fails: (index: number) => boolean = () => true) {
  const incidents = run(
    ['web'],
    (index, at) => ({ ...about(index), isFailed: at >= FAULT && fails(index) }),
    () => true,
    true,
  );
  return harmIn(incidents);
}

function harmIn(incidents: readonly Incident[]) {
  return incidents.flatMap(({ members }) =>
    [...members.values()].filter(({ evidence }) => evidence.family === 'harmed_requests'),
  );
}

/** Each caller serves one operation, which calls `stock`. */
function run(
  callers: readonly string[],
  during: (index: number, at: number) => Partial<SpanItem>,
  answers: (index: number, at: number) => boolean,
  isAlways = false,
): Incident[] {
  const state = createEngineState();
  const incidents = new Map<number, Incident>();
  for (let at = START, index = 0; at < FAULT + 120 * SECOND; at += 500, index += 1) {
    for (const { incident } of advance(state, at)) {
      incidents.set(incident.number, incident);
    }
    for (const service of callers) {
      const own = isAlways || at >= FAULT ? during(index, at) : {};
      const durationMs = 20 + (index % 5);
      const about = { kind: 'span', traceId: `${service} ${index}`, role: 'server', peer: null } as const;
      const entry = { service, operation: '/', spanId: 'a', parentSpanId: null, isFailed: false } as const;
      observe(state, { ...about, ...entry, durationMs, ...own, at: at + (own.durationMs ?? durationMs) });
      if (answers(index, at)) {
        const callee = { service: 'stock', operation: 'GET', spanId: 'b', parentSpanId: 'a', isFailed: false } as const;
        observe(state, { ...about, ...callee, at: at + 15, durationMs: 10 });
      }
    }
  }
  return [...incidents.values()].filter(({ mergedInto }) => mergedInto === null);
}
