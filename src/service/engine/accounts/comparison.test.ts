import { describe, expect, it } from 'vitest';
import { spanItem } from '../../../../test/support/span-item.ts';
import type { Comparison, Difference } from '../../core/comparison.ts';
import type { ResourceAttributes } from '../../core/resource-attributes.ts';
import type { SpanItem } from '../../core/telemetry-item.ts';
import { fitBudget, sizeOf } from '../budget.ts';
import { LIMITS } from '../constants.ts';
import { advance, createEngineState, type EngineState, observe } from '../engine.ts';
import { fromSnapshot, toSnapshot } from '../engine-state.ts';
import { compare, compareRequest, createComparedRequests } from './compared-requests.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 8 * MINUTE;
const END = FAULT + 2 * MINUTE;

interface Served extends Partial<SpanItem> {
  readonly caller?: string;
}

/** One request a second, from one of two callers to `payments`. */
function requestsOf(serve: (index: number, at: number) => Served): SpanItem[] {
  const items: SpanItem[] = [];
  for (let index = 0; START + index * SECOND < END; index += 1) {
    const at = START + index * SECOND;
    const { caller = 'checkout', ...served } = serve(index, at);
    const { isFailed = false, weight } = served;
    const of = { traceId: `trace-${index}`, isFailed, ...(weight === undefined ? {} : { weight }) };
    const top = spanItem({ ...of, service: caller, operation: 'POST /buy', at: at + 20, durationMs: 20 });
    const parentSpanId = top.spanId;
    const own = spanItem({
      ...of,
      service: 'payments',
      operation: 'POST /charge',
      at: at + 15,
      parentSpanId,
      ...served,
    });
    items.push(top, own);
  }
  return items;
}

function judged(items: readonly SpanItem[], at = END): EngineState {
  const state = createEngineState();
  for (const item of items) {
    advance(state, item.at);
    observe(state, item, 'key');
  }
  advance(state, at);
  return state;
}

/** What is told about the requests that `payments` loses. */
function comparisonOf(state: EngineState): Comparison | undefined {
  const [incident] = state.correlation.live.byNumber.values();
  const harm = [...(incident?.members.values() ?? [])].find(({ evidence }) => evidence.family === 'harmed_requests');
  expect(incident?.root).toBe('payments');
  return harm?.evidence.comparison;
}

function differencesOf(serve: (index: number, at: number) => Served): readonly Difference[] {
  return comparisonOf(judged(requestsOf(serve)))?.differences ?? [];
}

const pod = (index: number) => `payments-${index % 3}`;

describe('lost and good requests', () => {
  it('differ first by the only instance of three that loses them, with true counts', () => {
    const isLost = (index: number, at: number) => at >= FAULT && index % 3 === 1;
    const state = judged(
      requestsOf((index, at) => ({
        instance: pod(index),
        attributes: { version: '1.4.2', zone: `eu-${index % 2}` },
        isFailed: isLost(index, at),
      })),
    );

    const comparison = comparisonOf(state);

    const [incident] = state.correlation.live.byNumber.values();
    const harm = [...(incident?.members.values() ?? [])].find(({ evidence }) => evidence.lost !== undefined);
    expect(comparison).toMatchObject({ service: 'payments', lost: harm?.evidence.lost?.requests });
    const { lost = 0, good = 0, since = 0, differences = [] } = comparison ?? {};
    const times = Array.from({ length: (END - START) / SECOND }, (_, index) => index);
    const goodOnes = times.filter((index) => {
      const at = START + index * SECOND;
      return at + 20 >= since && !isLost(index, at);
    });
    expect(since).toBeLessThan(FAULT);
    expect(since).toBeGreaterThanOrEqual(FAULT - 10 * MINUTE);
    expect(lost).toBeGreaterThan(30);
    expect(Math.abs(good - goodOnes.length)).toBeLessThanOrEqual(20); // the last traces still wait for spans
    expect(differences).toEqual([
      { attribute: 'instance', value: 'payments-1', lost, lostOf: lost, good: expect.any(Number), goodOf: good },
    ]);
    expect(differences[0]?.good).toBeLessThan(good / 3);
  });

  it('differ by the version that failed at once everywhere, against those before it', () => {
    const [first] = differencesOf((index, at) => ({
      attributes: { version: at < FAULT ? '1.4.1' : '1.4.2' },
      instance: pod(index),
      isFailed: at >= FAULT,
    }));

    expect(first).toMatchObject({ attribute: 'version', value: '1.4.2', good: 0 });
    expect(first?.lost).toBe(first?.lostOf);
  });

  it('differ by where they came from', () => {
    const found = differencesOf((index, at) => ({
      caller: index % 2 === 0 ? 'checkout' : 'refunds',
      isFailed: at >= FAULT && index % 2 === 1,
    }));

    expect(found.map(({ attribute, value }) => [attribute, value])).toEqual([
      ['caller', 'refunds'],
      ['entry', 'refunds POST /buy'],
    ]);
  });

  it('do not differ when all lose alike, and say what was compared', () => {
    const comparison = comparisonOf(
      judged(requestsOf((index, at) => ({ instance: pod(index), isFailed: at >= FAULT && index % 2 === 0 }))),
    );

    expect(comparison?.differences).toEqual([]);
    expect(comparison?.attributes).toEqual(['instance', 'operation', 'caller', 'entry']);
  });

  it('do not differ by chance: a handful of failures on one instance is no pattern', () => {
    const lost = new Set([0, 3, 6, 10].map((index) => (FAULT - START) / SECOND + 30 + index));

    const comparison = comparisonOf(
      judged(
        requestsOf((index, at) => ({
          instance: pod(index),
          isFailed: at >= FAULT && (lost.has(index) || (at > FAULT + MINUTE && index % 4 === 0)),
        })),
      ),
    );

    expect(comparison?.differences).toEqual([]);
  });

  it('are counted with the weights of sampling, and a large weight is no certainty', () => {
    const serve = (weight: number) => (index: number, at: number) => ({
      instance: pod(index),
      isFailed: at >= FAULT && index % 3 === 1,
      weight,
    });
    const one = comparisonOf(judged(requestsOf(serve(1))));
    const ten = comparisonOf(judged(requestsOf(serve(10))));

    expect(ten).toMatchObject({ lost: 10 * (one?.lost ?? 0), good: 10 * (one?.good ?? 0), kept: one?.kept });
    expect(ten?.differences[0]).toMatchObject({ lost: 10 * (one?.differences[0]?.lost ?? 0) });
  });

  it('of a service that sends nothing are compared by its callers', () => {
    const state = judged(
      requestsOf((index, at) => {
        const isLost = at >= FAULT && index % 2 === 1;
        return { caller: index % 2 === 0 ? 'checkout' : 'refunds', isFailed: isLost };
      }).flatMap((span): SpanItem[] =>
        span.service === 'payments'
          ? [
              {
                ...span,
                service: span.parentSpanId === null ? '' : 'gateway',
                role: 'client',
                peer: 'bank',
                operation: 'POST',
              },
            ]
          : [span],
      ),
    );

    const [incident] = state.correlation.live.byNumber.values();
    const harm = [...(incident?.members.values() ?? [])].find(({ evidence }) => evidence.comparison !== undefined);
    expect(harm?.evidence.comparison?.service).toBe('bank');
    expect(harm?.evidence.comparison?.attributes).toEqual(['caller', 'call', 'entry']);
    expect(harm?.evidence.comparison?.differences.map(({ value }) => value)).toEqual(['refunds POST /buy']);
  });
});

describe('the counts', () => {
  const MADE_UP = 10_000;

  function hostile(): EngineState {
    const state = createEngineState();
    for (let index = 0; index < MADE_UP; index += 1) {
      const at = START + index * 60;
      const value = `made up ${index}`.padEnd(100, 'x');
      const attributes: ResourceAttributes = { version: value, pod: value, host: value, zone: value, region: value };
      advance(state, at);
      const isFailed = at >= FAULT && index % 2 === 0;
      observe(state, spanItem({ at, service: 'payments', instance: value, attributes, isFailed }), 'hostile');
    }
    advance(state, START + MADE_UP * 60 + SECOND);
    return state;
  }

  it('distinguish a few values, however many there are', () => {
    const [account] = hostile().judge.accounts.byKey.values();
    const counts = [account?.compared.good, account?.compared.lost].flatMap((side) => side ?? []);

    for (const { values, requests } of counts) {
      expect(requests).toBeGreaterThan(0);
      for (const { byValue, others, requests: known } of values.flatMap((each) => each ?? [])) {
        expect(byValue.size).toBeLessThanOrEqual(LIMITS.perPlace);
        expect([...byValue.values()].reduce((sum, count) => sum + count, 0) + others).toBe(known);
      }
    }
  });

  it('never name a value whose number of good requests is not known', () => {
    const compared = createComparedRequests(START);
    const add = (instance: string, isLost: boolean) => {
      const span = spanItem({ service: 'payments', instance });
      const alone = {
        parent: null,
        children: [],
        isEntry: true,
        isAdopted: false,
        ownMs: 0,
        pauseMs: 0,
      };
      const run = { span, sender: 'key', startMs: START, ...alone };
      compareRequest(compared, { place: 'payments', runs: [run], entry: null, weight: 1 }, isLost, true, START);
    };
    for (let index = 0; index < 2 * LIMITS.perPlace; index += 1) {
      add(`made up ${index}`, false);
      add('honest', true);
    }
    add('honest', false);

    expect(compare('payments', compared)).toMatchObject({
      lost: 2 * LIMITS.perPlace,
      attributes: ['instance', 'operation'],
    });
    expect(compare('payments', compared).differences).toEqual([]);
  });

  it('are part of the estimated memory, and go with their account', () => {
    const state = hostile();
    const before = sizeOf(state);
    const [account] = state.judge.accounts.byKey.values();
    const { bytes = 0 } = account?.compared.good ?? {};
    state.judge.accounts.byKey.clear();
    const without = sizeOf(state);

    expect(bytes).toBeGreaterThan(6 * LIMITS.perPlace * 180);
    expect(before - without).toBeGreaterThan(bytes);
    const evicted = hostile();
    fitBudget(evicted, 1_000);
    expect(evicted.judge.accounts.byKey.size).toBe(0);
  });

  it('are the same after a snapshot', () => {
    const serve = (index: number, at: number) => ({ instance: pod(index), isFailed: at >= FAULT && index % 3 === 1 });
    const items = requestsOf(serve);
    const expected = comparisonOf(judged(items));
    let state = createEngineState();
    for (const [index, item] of items.entries()) {
      advance(state, item.at);
      observe(state, item, 'key');
      state = index % 200 === 0 ? fromSnapshot<EngineState>(toSnapshot(state)) : state;
    }
    advance(state, END);

    expect(expected?.differences.length).toBe(1);
    expect(comparisonOf(state)).toEqual(expected);
  });
});
