import { describe, expect, it } from 'vitest';
import { incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { LogItem, SpanItem, TelemetryItem } from '../core/telemetry-item.ts';
import { advance, createEngineState, observe } from './engine.ts';
import type { CorrelationEvent } from './grouping/correlation-state.ts';
import { describe as describeEvidence } from './sentences/reasons.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FROM = START + 35 * MINUTE;
const BATCH_MS = 5 * SECOND;

/** @returns when an item arrives while telemetry is disturbed; none: it is lost */
type Delivery = (item: TelemetryItem) => readonly number[];

describe('healthy services open no incident', () => {
  it.each<[string, Delivery]>([
    [
      'when every batch is sent twice, because the answer did not come',
      ({ at }) => [batchOf(at), batchOf(at) + 12 * SECOND],
    ],
    [
      'when a fifth of the batches of lines is lost',
      (item) => (item.kind === 'log' && isEach(5, item.at) ? [] : [item.at]),
    ],
    [
      'when a fifth of the batches of one service is lost',
      (item) => (item.service === 'orders' && isEach(5, item.at) ? [] : [item.at]),
    ],
  ])('%s', (_, deliver) => {
    expect(openedIn(run(deliver))).toEqual([]);
  });
});

describe('telemetry that does not arrive', () => {
  it.each([4, 9, 20])('for %d minutes is one incident that says so, and none more when it comes again', (minutes) => {
    const events = run(() => [], minutes * MINUTE);

    expect(openedIn(events)).toEqual(['web']);
    expect(sentencesOf(events)).toEqual([
      'no request is reported any more, usually 61 a minute, nor anything else: perhaps its telemetry does not arrive',
    ]);
    expect(incidentsIn(events).map(({ activity }) => activity)).toEqual(['recovered']);
  });

  it('of one service is told apart from requests that stop, and the services behind it are left alone when it comes again', () => {
    const events = run((item) => (item.service === 'web' ? [] : [item.at]));

    expect(openedIn(events)).toEqual(['web']);
    expect(sentencesOf(events)).toEqual([
      'no request is reported any more, usually 61 a minute, but services behind it get some: it hangs, or its telemetry does not arrive',
    ]);
  });
});

function batchOf(at: number): number {
  return Math.ceil(at / BATCH_MS) * BATCH_MS;
}

/** Whether it is in one of so many batches. */
function isEach(number: number, at: number): boolean {
  return Math.floor(at / BATCH_MS) % number === 0;
}

/** @param lastsMs how long telemetry is disturbed, from `FROM` on */
function run(deliver: Delivery, lastsMs = 20 * MINUTE): CorrelationEvent[] {
  const until = FROM + lastsMs;
  const state = createEngineState();
  const events: CorrelationEvent[] = [];
  let waiting: { readonly arrivesAt: number; readonly item: TelemetryItem }[] = [];
  for (let at = START, index = 0; at < until + 10 * MINUTE; at += SECOND, index += 1) {
    const isDisturbed = at >= FROM && at < until;
    for (const item of requestsAt(at, index)) {
      const arrivals = isDisturbed ? deliver(item) : [item.at];
      waiting.push(...arrivals.map((arrivesAt) => ({ arrivesAt, item })));
    }
    for (const { item } of waiting.filter(({ arrivesAt }) => arrivesAt <= at)) {
      observe(state, item, 'key');
    }
    waiting = waiting.filter(({ arrivesAt }) => arrivesAt > at);
    events.push(...advance(state, at));
  }
  return events;
}

/** A request a second of `web`, which calls `orders`, and one in 17 seconds of `admin`, which does too. */
function requestsAt(at: number, index: number): TelemetryItem[] {
  return [...requestOf('web', at), ...(index % 17 === 0 ? requestOf('admin', at + 1) : [])];
}

function requestOf(service: string, at: number): TelemetryItem[] {
  const spans: SpanItem[] = [];
  const add = traceBuilder(spans, at);
  const entry = add(null, { service, operation: 'GET /orders', durationMs: 50 });
  const call = add(entry, { service, role: 'client', operation: 'GET', peer: 'orders', durationMs: 40 });
  const orders = add(call, { service: 'orders', operation: 'GET /orders', durationMs: 30 });
  add(orders, { service: 'orders', role: 'internal', operation: 'read the orders', durationMs: 10 });
  const lines = [lineOf(orders, 'asked for orders'), lineOf(orders, 'found 7 orders')];
  return [...spans, ...lines, lineOf(entry, 'access granted to the orders of a customer')];
}

function lineOf({ service, at, traceId, spanId }: SpanItem, text: string): LogItem {
  return { kind: 'log', service, at, severity: 'info', text, traceId, spanId };
}

function openedIn(events: readonly CorrelationEvent[]): string[] {
  return events.flatMap(({ type, incident: { root } }) => (type === 'opened' || type === 'split' ? [root] : []));
}

function sentencesOf(events: readonly CorrelationEvent[]): string[] {
  return incidentsIn(events).flatMap(({ members }) =>
    [...members.values()].map(({ evidence }) => describeEvidence(evidence)),
  );
}
