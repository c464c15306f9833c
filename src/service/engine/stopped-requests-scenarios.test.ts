import { describe, expect, it } from 'vitest';
import { incidentsIn } from '../../../test/support/feed-engine.ts';
import { seededRandom } from '../../../test/support/seeded-random.ts';
import { spanItem, traceBuilder } from '../../../test/support/span-item.ts';
import { describeTaught } from '../core/lesson.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { advance, createEngineState, isIdle, obey, observe } from './engine.ts';
import type { CorrelationEvent } from './grouping/correlation-state.ts';
import { taughtByIncident } from './grouping/taught.ts';
import { describe as describeEvidence } from './sentences/reasons.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const TICK_MS = 5 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const STOP = START + 30 * MINUTE;

/** Whether a request of a service begins in a second; `index` counts the seconds. */
type Traffic = (at: number, index: number) => boolean;

const isBefore =
  (end: number): Traffic =>
  (at, index) =>
    at < end && index % 3 === 0;

describe('requests that stop', () => {
  it('open an incident of the service that they came in at, within four minutes', () => {
    const events = run({ shop: isBefore(STOP) }, 5 * MINUTE);

    expect(opened(events)).toEqual([{ root: 'shop', isSoon: true }]);
    expect(sentencesOf(events)).toEqual([
      'no request is reported any more, usually 20 a minute, nor anything else: perhaps its telemetry does not arrive',
    ]);
  });

  it('open one incident if several services get no more', () => {
    const isRare: Traffic = (at, index) => at < STOP && index % 5 === 0;
    const events = run({ admin: isRare, shop: isBefore(STOP + 20 * SECOND) }, 8 * MINUTE);

    expect(opened(events).map(({ root }) => root)).toEqual(['shop']);
    expect(sentencesOf(events)).toEqual([
      'no request is reported any more (nor of admin), usually 20 a minute, nor anything else: perhaps its telemetry does not arrive',
    ]);
  });

  it('name a few services, however many get no more', () => {
    const names = Array.from({ length: 12 }, (_, index) => `shop-${index}`);
    const events = run(Object.fromEntries(names.map((name) => [name, isBefore(STOP)])), 5 * MINUTE);

    expect(sentencesOf(events)).toEqual([
      'no request is reported any more (nor of shop-1, shop-2, shop-3 and 8 more), usually 20 a minute, nor anything else: perhaps its telemetry does not arrive',
    ]);
  });

  it('are told apart from probes, which go on', () => {
    const events = run({ shop: isBefore(STOP) }, 5 * MINUTE, {
      probes: ['GET /healthz', 'grpc.health.v1.Health/Check'],
    });

    expect(opened(events).map(({ root }) => root)).toEqual(['shop']);
  });

  it('leave the services alone that still get some', () => {
    const events = run({ admin: isBefore(Number.POSITIVE_INFINITY), shop: isBefore(STOP) }, 8 * MINUTE);

    expect(opened(events).map(({ root }) => root)).toEqual(['shop']);
    expect(sentencesOf(events)).toEqual(['no request is reported any more, usually 20 a minute']);
  });

  it('are over when requests come again', () => {
    const events = run({ shop: (at, index) => index % 3 === 0 && (at < STOP || at > STOP + 6 * MINUTE) }, 9 * MINUTE);

    expect(opened(events)).toHaveLength(1);
    expect(events.at(-1)?.incident.activity).toBe('recovered');
    expect(events.at(-1)?.at).toBeLessThan(STOP + 7 * MINUTE);
  });

  it('open one although another key reports as many requests of the service, as it always did', () => {
    const events = run({ shop: isBefore(STOP) }, 9 * MINUTE, { besides: isBefore(Number.POSITIVE_INFINITY) });

    expect(opened(events).map(({ root }) => root)).toEqual(['shop']);
  });

  it('are waited for, until the service is taken for gone', () => {
    const state = createEngineState();
    run({ shop: isBefore(STOP) }, 20 * MINUTE, { state });
    expect(isIdle(state)).toBe(false);

    run({}, 25 * 60 * MINUTE, { state, from: STOP + 20 * MINUTE });
    expect(isIdle(state)).toBe(true);
  });
});

describe('a stop that was closed as not a problem', () => {
  const isOpen: Traffic = (at, index) => index % 3 === 0 && !isWithin(at, STOP, 10) && !isWithin(at, AGAIN, 10);
  const isClosedLonger: Traffic = (at, index) => isOpen(at, index) && !isWithin(at, AGAIN, 30);

  it('opens again if it is clearly longer only', () => {
    expect(openedAfterLesson(isOpen)).toEqual([]);
    expect(openedAfterLesson(isClosedLonger).map(({ root }) => root)).toEqual(['shop']);
  });

  it('is told in words', () => {
    const state = createEngineState();
    const [incident] = incidentsIn(run({ shop: isOpen }, 9 * MINUTE, { state }));

    expect(incident === undefined ? [] : taughtByIncident(incident).map(describeTaught)).toEqual([
      'shop: no requests for 9 minutes',
    ]);
  });

  const AGAIN = STOP + 40 * MINUTE;

  function openedAfterLesson(traffic: Traffic) {
    const state = createEngineState();
    const [incident] = incidentsIn(run({ shop: traffic }, 9 * MINUTE, { state }));
    const at = STOP + 9 * MINUTE;
    const about = { id: 'lesson', incident: 1, at, until: at + 24 * 60 * MINUTE };
    const [taught] = incident === undefined ? [] : taughtByIncident(incident);
    obey(state, { kind: 'teach', at, lessons: taught === undefined ? [] : [{ ...about, taught }] });
    return opened(run({ shop: traffic }, 70 * MINUTE, { state, from: at }));
  }
});

function isWithin(at: number, from: number, minutes: number): boolean {
  return at >= from && at < from + minutes * MINUTE;
}

describe('no incident is opened', () => {
  it.each<[string, Traffic]>([
    ['by a night, in which requests become ever fewer', evening(20)],
    ['by an evening, in which they become fewer soon', evening(5)],
    ['by jobs that run every ten minutes', (at, index) => ((at - START) / MINUTE) % 10 < 2 && index % 2 === 0],
    ['by few requests an hour', (_, index) => index % 600 === 0],
    ['in the first minutes', (at) => at < START + 10 * MINUTE],
    ['by a restart of a minute', (at, index) => index % 2 === 0 && (at < STOP || at > STOP + MINUTE)],
  ])('%s', (_, traffic) => {
    expect(opened(run({ shop: traffic }, 4 * 60 * MINUTE))).toEqual([]);
  });

  it('while spans come late', () => {
    const events = run({ shop: isBefore(Number.POSITIVE_INFINITY) }, 20 * MINUTE, {
      comesAt: (at) => (at < STOP || at > STOP + 100 * SECOND ? at : STOP + 100 * SECOND),
    });

    expect(opened(events)).toEqual([]);
  });

  it('when another key sends them from then on', () => {
    const state = createEngineState();
    run({ shop: isBefore(STOP) }, 0, { state, sender: 'old' });
    const always = isBefore(Number.POSITIVE_INFINITY);

    expect(opened(run({ shop: always }, 20 * MINUTE, { state, from: STOP, sender: 'new' }))).toEqual([]);
  });

  it('because of a pause of the engine, in which nothing could be seen', () => {
    const state = createEngineState();
    run({ shop: isBefore(STOP) }, 0, { state });

    const from = STOP + 30 * MINUTE;
    const events = run({ shop: isBefore(Number.POSITIVE_INFINITY) }, 10 * MINUTE, { state, from });

    expect(opened(events)).toEqual([]);
  });
});

describe('a stop while requests elsewhere are lost', () => {
  it.each([
    ['opens no incident of its own if it is the smaller part', 5, ['users']],
    ['opens one if it is most of what comes in', 1, ['shop', 'users']],
  ])('%s', (_, everySeconds, roots) => {
    expect(openedWhileUsersAreGone({ everySeconds, backAfterMs: Number.POSITIVE_INFINITY })).toEqual(roots);
  });

  it('opens none either before the first request after that', () => {
    expect(openedWhileUsersAreGone({ everySeconds: 5, backAfterMs: 4 * MINUTE })).toEqual(['users']);
  });

  it('opens one if no request comes then', () => {
    const usersBackAfterMs = 4 * MINUTE;

    expect(
      openedWhileUsersAreGone({ everySeconds: 5, backAfterMs: Number.POSITIVE_INFINITY, usersBackAfterMs }),
    ).toEqual(['shop', 'users']);
  });
});

/** Of what is called by `admin` all the time. Requests of `shop` come every few seconds, but not while `users` is gone. */
function openedWhileUsersAreGone({
  everySeconds,
  backAfterMs,
  usersBackAfterMs = backAfterMs - 30 * SECOND,
}: {
  readonly everySeconds: number;
  readonly backAfterMs: number;
  readonly usersBackAfterMs?: number;
}): string[] {
  const state = createEngineState();
  const events: CorrelationEvent[] = [];
  for (let at = START; at < STOP + 9 * MINUTE; at += SECOND) {
    const spans: SpanItem[] = [];
    const isGone = isWithin(at, STOP, usersBackAfterMs / MINUTE);
    if ((at / SECOND) % everySeconds === 0 && !isWithin(at, STOP, backAfterMs / MINUTE)) {
      traceBuilder(spans, at)(null, { service: 'shop', durationMs: 30 });
    }
    if ((at / SECOND) % 2 === 0) {
      const add = traceBuilder(spans, at);
      const page = add(null, { service: 'admin', durationMs: 30, isFailed: isGone });
      add(page, { service: 'admin', role: 'client', peer: 'users', durationMs: 20, isFailed: isGone });
    }
    for (const span of spans) {
      observe(state, span);
    }
    events.push(...advance(state, at));
  }
  return opened(events)
    .map(({ root }) => root)
    .toSorted();
}

it('is about services that requests come in at, not about those that others call', () => {
  const events = run({ shop: isBefore(Number.POSITIVE_INFINITY) }, 20 * MINUTE, { callsStock: (at) => at < STOP });

  expect(sentencesOf(events).filter((text) => text.includes('no request is reported'))).toEqual([]);
});

/** Twenty minutes of traffic, and then ever less: half of it in so many minutes. */
function evening(halfMinutes: number): Traffic {
  const random = seededRandom(halfMinutes);
  return (at) => {
    const minutes = Math.max(0, (at - START) / MINUTE - 20);
    return random() < (40 / 60) * 0.5 ** (minutes / halfMinutes);
  };
}

interface Options {
  readonly state?: ReturnType<typeof createEngineState>;
  readonly from?: number;
  /** When the spans of a request arrive. */
  readonly comesAt?: (at: number) => number;
  readonly callsStock?: (at: number) => boolean;
  /** Operations of `shop` that are called every five seconds. */
  readonly probes?: readonly string[];
  /** Key that sends the spans. */
  readonly sender?: string;
  /** Requests of `shop` that another key reports. */
  readonly besides?: Traffic;
}

/** @param lastsMs after `STOP`, or after `from` */
function run(traffic: Readonly<Record<string, Traffic>>, lastsMs: number, options: Options = {}): CorrelationEvent[] {
  const {
    state = createEngineState(),
    from = START,
    comesAt = (at) => at,
    callsStock = () => false,
    probes = [],
    sender = '',
    besides = () => false,
  } = options;
  const until = (from === START ? STOP : from) + lastsMs;
  const events: CorrelationEvent[] = [];
  let waiting: { readonly comes: number; readonly span: SpanItem }[] = [];
  for (let at = from, index = 0; at < until; at += SECOND, index += 1) {
    const spans: SpanItem[] = [];
    for (const [service, isNow] of Object.entries(traffic)) {
      if (isNow(at, index)) {
        const add = traceBuilder(spans, at);
        const entry = add(null, { service, durationMs: 30 });
        if (callsStock(at)) {
          add(entry, { service: 'stock', durationMs: 10 });
        }
      }
    }
    if (besides(at, index)) {
      observe(state, spanItem({ service: 'shop', at: at + 30, durationMs: 30 }), 'another key');
    }
    for (const operation of at % TICK_MS === 0 ? probes : []) {
      traceBuilder(spans, at)(null, { service: 'shop', operation, durationMs: 1 });
    }
    waiting.push(...spans.map((span) => ({ comes: Math.max(at, comesAt(at)), span })));
    for (const { span } of waiting.filter(({ comes }) => comes <= at)) {
      observe(state, span, sender);
    }
    waiting = waiting.filter(({ comes }) => comes > at);
    if (at % TICK_MS === 0) {
      events.push(...advance(state, at));
    }
  }
  return events;
}

function opened(events: readonly CorrelationEvent[]) {
  return events.flatMap(({ type, at, incident: { root } }) =>
    type === 'opened' ? [{ root, isSoon: at <= STOP + 4 * MINUTE }] : [],
  );
}

function sentencesOf(events: readonly CorrelationEvent[]): string[] {
  return incidentsIn(events).flatMap(({ members }) =>
    [...members.values()].map(({ evidence }) => describeEvidence(evidence)),
  );
}
