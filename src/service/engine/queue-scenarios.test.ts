import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { spanItem, traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 16 * MINUTE;
const END = FAULT + 5 * MINUTE;

describe('messages of a queue', () => {
  it('that cannot be sent are lost by the queue, not by who consumes them', () => {
    expect(rootsOf({ lagMs: 20, isBrokerGone: true })).toEqual(['kafka:orders.placed']);
  });

  it('are lost by the queue, though their consumer was often faster than its acknowledgement', () => {
    expect(rootsOf({ lagMs: 20, isBrokerGone: true, isAcknowledgedLate: true })).toEqual(['kafka:orders.placed']);
  });

  it.each([20, 3 * MINUTE])(
    'that cannot be handled are lost by their consumer, %d ms after they were sent',
    (lagMs) => {
      expect(rootsOf({ lagMs, isConsumerBroken: true })).toEqual(['mailer']);
    },
  );

  it('that nobody takes any more are an incident of their consumer, though all are sent', () => {
    expect(rootsOf({ lagMs: 20, isConsumerGone: true })).toEqual(['mailer']);
  });
});

it('takes a service that does not report any more, but answers its callers, for no fault', () => {
  const spans: SpanItem[] = [];
  for (let at = START; at < END; at += 700) {
    const add = traceBuilder(spans, at, spans.length);
    const page = add(null, { service: 'shop', durationMs: 20 });
    const call = add(page, { service: 'shop', role: 'client', operation: 'GET', peer: 'prices', durationMs: 15 });
    if (at < FAULT) {
      add(call, { service: 'prices', operation: 'GET /price', durationMs: 12 });
    }
  }

  const inOrder = spans.toSorted((a, b) => a.at - b.at);
  expect(incidentsIn(feedEngine(createEngineState(), inOrder, END + MINUTE))).toEqual([]);
});

describe('questions that are asked over a queue, whose sender waits for the answer', () => {
  it.each(['fails', 'is gone', 'is slow'] as const)('are lost by who is to answer, if it %s', (fault) => {
    expect(rootsOfQuestions(fault)).toEqual(['prices']);
  });
});

/** `shop` asks `prices` over a queue. From the fault on, two thirds of its questions are not answered, or late. */
function rootsOfQuestions(fault: 'fails' | 'is gone' | 'is slow'): string[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += 400, index += 1) {
    const isHit = at >= FAULT && index % 3 > 0;
    const isFailed = isHit && fault !== 'is slow';
    const workMs = isHit && fault === 'is slow' ? 900 : 15;
    const waitedMs = isHit && fault === 'is gone' ? 2_000 : workMs + 4;
    const add = traceBuilder(spans, at, spans.length);
    const page = add(null, { service: 'shop', operation: 'GET /', durationMs: waitedMs + 8, isFailed });
    const ask = { service: 'shop', role: 'client', operation: 'prices send', peer: 'rabbitmq' } as const;
    const asked = add(page, { ...ask, durationMs: waitedMs, isFailed });
    if (!isHit || fault !== 'is gone') {
      add(asked, { service: 'prices', role: 'consumer', operation: 'prices process', durationMs: workMs, isFailed });
    }
  }
  const inOrder = spans.toSorted((a, b) => a.at - b.at);
  return incidentsIn(feedEngine(createEngineState(), inOrder, END + MINUTE)).map(({ root }) => root);
}

interface World {
  readonly lagMs: number;
  readonly isBrokerGone?: boolean;
  /** The queue acknowledges every fourth message once it was handled. */
  readonly isAcknowledgedLate?: boolean;
  readonly isConsumerBroken?: boolean;
  readonly isConsumerGone?: boolean;
}

/** `shop` sends a message in each request, which `mailer` handles some time later in the same trace. */
function rootsOf({ lagMs, isBrokerGone = false, isConsumerBroken = false, ...queue }: World): string[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END + lagMs; at += 700, index += 1) {
    const isDuring = at >= FAULT && at < END;
    const isLost = isDuring && isBrokerGone;
    const isLate = queue.isAcknowledgedLate === true && index % 4 === 0;
    const sendMs = isLost ? 1_000 : isLate ? 12 : 4;
    const add = traceBuilder(spans, at, spans.length);
    const page = add(null, { service: 'shop', operation: 'POST /orders', durationMs: sendMs + 10, isFailed: isLost });
    const send = {
      service: 'shop',
      role: 'client',
      operation: 'send orders.placed',
      peer: 'kafka:orders.placed',
    } as const;
    const sent = add(page, { ...send, durationMs: sendMs, isFailed: isLost });
    if (!isLost && !(isDuring && queue.isConsumerGone === true)) {
      const about = { service: 'mailer', role: 'consumer', operation: 'process orders.placed', durationMs: 6 } as const;
      const { traceId, spanId } = sent;
      const isFailed = isDuring && isConsumerBroken;
      spans.push(
        spanItem({ traceId, parentSpanId: spanId, at: isLate ? at + 8 : at + sendMs + lagMs, isFailed, ...about }),
      );
    }
  }
  const until = END + lagMs + MINUTE;
  const inOrder = spans.filter(({ at }) => at < until).toSorted((a, b) => a.at - b.at);
  return incidentsIn(feedEngine(createEngineState(), inOrder, until)).map(({ root }) => root);
}

it('takes a loop that waits longer for the next message for no slow one', () => {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; index += 1) {
    const waitedMs = (at < FAULT ? 400 : 6_000) + (index % 5) * 70;
    const add = traceBuilder(spans, at, spans.length);
    const loop = add(null, { service: 'ledger', role: 'internal', operation: 'next', durationMs: waitedMs + 9 });
    const ofLoop = { traceId: loop.traceId, parentSpanId: loop.spanId, service: 'ledger' } as const;
    const received = { ...ofLoop, role: 'consumer', operation: 'orders receive', durationMs: waitedMs } as const;
    const saved = { ...ofLoop, role: 'client', operation: 'INSERT', peer: 'postgresql:db-1', durationMs: 6 } as const;
    spans.push(spanItem({ ...received, at: at + waitedMs }), spanItem({ ...saved, at: at + waitedMs + 8 }));
    at += waitedMs + 10;
  }

  const inOrder = spans.toSorted((a, b) => a.at - b.at);
  expect(incidentsIn(feedEngine(createEngineState(), inOrder, END + MINUTE))).toEqual([]);
});
