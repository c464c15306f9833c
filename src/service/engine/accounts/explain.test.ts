import { describe, expect, it } from 'vitest';
import { spanItem } from '../../../../test/support/span-item.ts';
import type { SpanItem } from '../../core/telemetry-item.ts';
import { advance, createEngineState, observe } from '../engine.ts';
import type { Incident } from '../grouping/incident.ts';

const SECOND = 1_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 8 * 60 * SECOND;
const END = FAULT + 3 * 60 * SECOND;

/** Operations of `web`, and whether they call `stock`. `web` sends no client spans. */
const CALLS: Readonly<Record<string, boolean>> = { '/buy': true, '/browse': true, '/login': false, '/help': false };

interface Times {
  readonly webMs: number;
  /** null: it did not answer. */
  readonly stockMs: number | null;
  readonly isFailed?: boolean;
}

describe('a caller without client spans', () => {
  it('is not blamed when only its runs that call one service are slow', () => {
    const roots = rootsOf((calls) => ({ webMs: calls ? 830 : 30, stockMs: 10 }));

    expect(roots).toEqual(['stock']);
  });

  it('is blamed when all of its runs are slow', () => {
    expect(rootsOf(() => ({ webMs: 830, stockMs: 10 }))).toEqual(['web']);
  });

  it('is not blamed when it gives up before a service answers', () => {
    const roots = rootsOf((calls) => ({ webMs: calls ? 2_000 : 30, stockMs: 10, isFailed: calls }));

    expect(roots).toEqual(['stock']);
  });

  it('is not blamed when it waits in vain for a service that only some of its runs call', () => {
    const roots = rootsOf((calls) => ({ webMs: calls ? 2_000 : 30, stockMs: calls ? null : 10, isFailed: calls }), {
      share: 0.45,
    });

    expect(roots).toEqual(['stock']);
  });

  it('is not blamed when a service that only some of its runs call refuses them', () => {
    const refuses = (calls: boolean) => ({ webMs: calls ? 4 : 30, stockMs: calls ? null : 10, isFailed: calls });

    expect(rootsOf(refuses, { share: 0.45 })).toEqual(['stock']);
    expect(rootsOf(refuses)).toEqual(['stock']);
  });

  it('is blamed when another caller still reaches the service', () => {
    const fails = (calls: boolean) => ({ webMs: calls ? 4 : 30, stockMs: calls ? null : 10, isFailed: calls });

    expect(rootsOf(fails, { otherCaller: 'admin' })).toEqual(['web']);
  });

  it('is blamed when it fails quickly in every run', () => {
    expect(rootsOf(() => ({ webMs: 4, stockMs: null, isFailed: true }))).toEqual(['web']);
  });

  it('is blamed when it fails quickly in some runs, while others reach the service', () => {
    let run = 0;
    const roots = rootsOf(() => {
      run += 1;
      return run % 2 === 0 ? { webMs: 4, stockMs: null, isFailed: true } : { webMs: 28, stockMs: 10 };
    });

    expect(roots).toEqual(['web']);
  });

  it('is blamed when only one operation is slow: that may be its own work', () => {
    const roots = rootsOf((_, operation) => ({ webMs: operation === '/buy' ? 830 : 30, stockMs: 10 }));

    expect(roots).toEqual(['web']);
  });
});

it.each([
  ['its server span', false],
  ['an internal span', true],
])('blames the callee that a caller waits for in vain in %s, however long it waits for others', (_, isInternal) => {
  const state = createEngineState();
  const incidents = new Map<number, Incident>();
  for (let start = START, index = 0; start < END; start += 1_000, index += 1) {
    for (const { incident } of advance(state, start)) {
      incidents.set(incident.number, incident);
    }
    const traceId = `trace ${index}`;
    const isGone = start >= FAULT;
    const searchMs = 200 + ((index * 619) % 1_300);
    const durationMs = searchMs + (isGone ? 1_000 : 20);
    const add = (service: string, endMs: number, span: Partial<SpanItem>) =>
      observe(
        state,
        spanItem({
          traceId,
          service,
          at: start + endMs,
          parentSpanId: isInternal ? `work ${index}` : `web ${index}`,
          ...span,
        }),
      );
    add('search', searchMs, { durationMs: searchMs });
    if (!isGone) {
      add('stock', durationMs, { durationMs: 10 });
    }
    if (isInternal) {
      const work = {
        spanId: `work ${index}`,
        parentSpanId: `web ${index}`,
        role: 'internal',
        operation: 'handler',
      } as const;
      add('web', durationMs, { ...work, durationMs, isFailed: isGone });
    }
    add('web', durationMs, { spanId: `web ${index}`, parentSpanId: null, durationMs, isFailed: isGone });
  }

  expect([...incidents.values()].map(({ root }) => root)).toEqual(['stock']);
});

/**
 * @param during what happens to a run during the fault
 * @param share of the runs of an operation that call
 * @param otherCaller a service that calls `stock` all the time
 */
function rootsOf(
  during: (calls: boolean, operation: string) => Times,
  { share = 1, otherCaller = null }: { share?: number; otherCaller?: string | null } = {},
): string[] {
  const state = createEngineState();
  const incidents = new Map<number, Incident>();
  for (let at = START, index = 0; at < END; at += 500, index += 1) {
    for (const { incident } of advance(state, at)) {
      incidents.set(incident.number, incident);
    }
    const operation = Object.keys(CALLS)[index % 4] ?? '';
    const calls = CALLS[operation] === true && (index * 0.381_966) % 1 < share;
    const usual: Times = { webMs: 25 + (index % 7), stockMs: 8 + (index % 3) };
    const { webMs, stockMs, isFailed = false } = at < FAULT ? usual : during(calls, operation);
    const about = { kind: 'span', traceId: `trace ${index}`, role: 'server', peer: null } as const;
    const web: SpanItem = {
      ...about,
      service: 'web',
      operation,
      spanId: 'web',
      parentSpanId: null,
      isFailed,
      at: at + webMs,
      durationMs: webMs,
    };
    observe(state, web);
    if (calls && stockMs !== null) {
      const ids = { spanId: 'stock', parentSpanId: 'web', isFailed: false } as const;
      observe(state, { ...about, ...ids, service: 'stock', operation: 'GET', at: at + 20, durationMs: stockMs });
    }
    if (otherCaller !== null) {
      const spanId = `${otherCaller} ${index}`;
      observe(state, { ...web, service: otherCaller, traceId: spanId, spanId, isFailed: false, durationMs: 25 });
      const answer = { service: 'stock', operation: 'GET', parentSpanId: spanId, isFailed: false } as const;
      observe(state, { ...about, ...answer, traceId: spanId, spanId: 'answer', at: at + 20, durationMs: 8 });
    }
  }
  return [...incidents.values()].filter(({ mergedInto }) => mergedInto === null).map(({ root }) => root);
}
