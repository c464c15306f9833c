import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';
import type { Incident } from './grouping/incident.ts';
import { headlineOf } from './sentences/reasons.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 20 * MINUTE;

/** What a request meets in `shop`, which the entry `gateway` calls. */
interface Outcome {
  readonly isFailed?: boolean;
  /** The gateway answers 401, and does not call the shop; or its client goes away. */
  readonly isRejected?: true | 'cancelled';
  readonly extraMs?: number;
  readonly instance?: string;
}

interface World {
  readonly until: number;
  readonly everyMs?: number;
  readonly outcomeOf: (request: {
    readonly at: number;
    readonly chance: number;
    readonly isCheckout: boolean;
  }) => Outcome;
}

describe('an instance that few requests come to', () => {
  it('is named if most of its checkouts fail: a canary with one request in twenty', () => {
    const incidents = incidentsOf({
      until: FAULT + 15 * MINUTE,
      everyMs: 200,
      outcomeOf: ({ at, chance, isCheckout }) => {
        const isCanary = at >= FAULT && chance < 0.05;
        const instance = isCanary ? 'shop-canary' : `shop-${1 + (Math.floor(1_000 * chance) % 3)}`;
        return { instance, isFailed: isCanary && isCheckout && chance < 0.035 };
      },
    });

    expect(incidents.map(({ root }) => root)).toEqual(['shop']);
    expect(instancesOf(incidents)).toContain('shop-canary');
  });
});

describe('requests that are rejected', () => {
  it('are a failure if none is served any more: every one gets 401 for 100 seconds', () => {
    const isRejected = (at: number) => at >= FAULT && at < FAULT + 100 * SECOND;
    const incidents = incidentsOf({
      until: FAULT + 5 * MINUTE,
      outcomeOf: ({ at }) => (isRejected(at) ? { isRejected: true } : {}),
    });

    expect(incidents.map(({ root }) => root)).toEqual(['gateway']);
    expect(incidents.map(({ activity }) => activity)).toEqual(['recovered']);
    expect(headlinesOf(incidents)).toContain('GET / is rejected');
  });

  it('are no failure if the same share always was', () => {
    expect(
      incidentsOf({ until: FAULT, outcomeOf: ({ chance }) => (chance < 0.3 ? { isRejected: true } : {}) }),
    ).toEqual([]);
  });

  it('are no failure if their clients go away', () => {
    const outcomeOf: World['outcomeOf'] = ({ at, chance }) =>
      at >= FAULT && chance < 0.6 ? { isRejected: 'cancelled' } : {};

    expect(incidentsOf({ until: FAULT + 4 * MINUTE, outcomeOf })).toEqual([]);
  });
});

describe('instances that are added one after the other', () => {
  it('are no failure, although the first requests of each are slow', () => {
    const seen = new Set<string>();
    const outcomeOf: World['outcomeOf'] = ({ at, chance }) => {
      const count = at < FAULT ? 2 : Math.min(12, 3 + Math.floor((at - FAULT) / (15 * SECOND)));
      const instance = `shop-${Math.floor(count * chance)}`;
      const isFirst = at >= FAULT && !seen.has(instance);
      seen.add(instance);
      return { instance, extraMs: isFirst ? 600 : 0 };
    };

    expect(incidentsOf({ until: FAULT + 5 * MINUTE, outcomeOf })).toEqual([]);
  });
});

describe('a fault that comes for 6 seconds of every 30', () => {
  it('is one incident, which recovers once when it is over', () => {
    const isDuring = (at: number) =>
      at >= FAULT && at < FAULT + 8 * MINUTE && (at - FAULT) % (30 * SECOND) < 6 * SECOND;
    const items = spansOf({ until: FAULT + 14 * MINUTE, outcomeOf: ({ at }) => ({ isFailed: isDuring(at) }) });

    const events = feedEngine(createEngineState(), items);

    expect(events.filter(({ type }) => type === 'opened')).toHaveLength(1);
    const changes = events.filter(({ type }) => type === 'activity');
    expect(changes.length).toBeLessThanOrEqual(3);
    expect(changes.filter(({ at }) => at > FAULT + 2 * MINUTE && at < FAULT + 8 * MINUTE)).toEqual([]);
    expect(incidentsIn(events).map(({ activity }) => activity)).toEqual(['recovered']);
  });
});

describe('requests that take 25 ms longer', () => {
  it('are no failure, although that is three times as long as usual', () => {
    const isDuring = (at: number) => at >= FAULT && at < FAULT + 45 * SECOND;

    expect(
      incidentsOf({ until: FAULT + 3 * MINUTE, outcomeOf: ({ at }) => ({ extraMs: isDuring(at) ? 25 : 0 }) }),
    ).toEqual([]);
  });
});

describe('pages of very many spans', () => {
  it.each([1_900, 2_100])('that all fail are one incident, with %d spans each', (count) => {
    const spans: SpanItem[] = [];
    for (let page = 0; page < 5; page += 1) {
      const at = START + page * 10 * SECOND;
      const add = traceBuilder([], at);
      const entry = add(null, { service: 'web', operation: 'GET /page', durationMs: 900, isFailed: true });
      const call = { service: 'web', role: 'client', operation: 'SELECT', peer: 'db', durationMs: 1 } as const;
      spans.push(...Array.from({ length: count }, (_, index) => add(entry, { ...call, at: at + index / 3 })));
      spans.push(entry); // SDKs send the entry last
    }

    const incidents = incidentsIn(feedEngine(createEngineState(), spans, START + 2 * MINUTE));

    expect(incidents.map(({ root }) => root)).toEqual(['web']);
  });
});

function incidentsOf(world: World): Incident[] {
  const spans = spansOf(world);
  return incidentsIn(feedEngine(createEngineState(), spans)).filter(({ mergedInto }) => mergedInto === null);
}

function spansOf({ until, everyMs = 400, outcomeOf }: World): SpanItem[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < until; at += everyMs, index += 1) {
    const isCheckout = index % 2 === 0;
    const {
      isFailed = false,
      isRejected,
      extraMs = 0,
      instance = 'shop-1',
    } = outcomeOf({
      at,
      chance: (index * 0.618_034) % 1,
      isCheckout,
    });
    const ms = 8 + (index % 3) + extraMs;
    const add = traceBuilder(spans, at, spans.length);
    const entry = { service: 'gateway', operation: 'GET /', durationMs: ms + 4, isFailed } as const;
    if (isRejected !== undefined) {
      add(null, { ...entry, durationMs: 1, isRejected });
      continue;
    }
    const call = { service: 'gateway', role: 'client', operation: 'GET', peer: 'shop', isFailed } as const;
    const sent = add(add(null, entry), { ...call, durationMs: ms + 2 });
    const operation = isCheckout ? 'POST /checkout' : 'GET /cart';
    add(sent, { service: 'shop', operation, durationMs: ms, instance, isFailed });
  }
  return spans.toSorted((a, b) => a.at - b.at);
}

function evidenceOf(incidents: readonly Incident[]) {
  return incidents.flatMap(({ members }) => [...members.values()].map(({ evidence }) => evidence));
}

function instancesOf(incidents: readonly Incident[]) {
  return evidenceOf(incidents).map(({ instance }) => instance);
}

function headlinesOf(incidents: readonly Incident[]): string[] {
  return evidenceOf(incidents).map(headlineOf);
}
