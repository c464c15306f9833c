import { describe, expect, it } from 'vitest';
import { evidence } from '../../../test/support/evidence.ts';
import { spanItem, traceBuilder } from '../../../test/support/span-item.ts';
import type { LogItem, MetricItem, SpanItem, TelemetryItem } from '../core/telemetry-item.ts';
import { advance, createEngineState, observe } from './engine.ts';
import { neighboursAt } from './graph/call-graph.ts';
import { correlate } from './grouping/correlate.ts';

const SECOND = 1_000;
const START = Date.parse('2026-01-01T00:00:00Z');
/** Seconds. */
const FAULT = 400;
const WATCHED = 120;

/** What a sender reports in one second. */
type Report = (second: number, at: number) => TelemetryItem[];

const LEDGER = 'cannot reach the ledger';
const lines: Report = (second, at) => [
  log({ at, text: 'will retry the call' }),
  ...(second < FAULT ? [] : [log({ at, text: LEDGER })]),
];
const requests: Report = (second, at) => request(at, { isFailed: second >= FAULT });
const orphans: Report = (second, at) => [
  spanItem({ service: 'app', at, parentSpanId: 'elsewhere', isFailed: second >= FAULT }),
];
const metric: Report = (second, at) => [metricOf(at, second < FAULT ? 0.01 : 0.5)];

describe.each<[string, Report, string]>([
  ['a new error line', lines, 'app'],
  ['failed calls of a service that reports nothing', requests, 'orders'],
  ['failed requests whose callers are unknown', orphans, 'app'],
  ['a share of failures', metric, 'app'],
])('%s, reported with one key,', (_, honest, root) => {
  const alone = openingOf(honest, () => []);

  it.each<[string, Report]>([
    [
      'lines of ever other texts',
      (second, at) => range(100).map((n) => log({ at, text: `${wordOf(100 * second + n)} failed` })),
    ],
    ['the same line for ever', (_second, at) => [log({ at, text: LEDGER })]],
    ['the same line just before', (_second, at) => range(20).map((n) => log({ at: at + 50 * n, text: LEDGER }))],
    [
      'services that are called like its words',
      (_second, at) => `will retry the call ${LEDGER}`.split(' ').map((service) => log({ at, service, text: '' })),
    ],
    ['other requests, of which many fail', (second, at) => request(at, { service: 'web', isFailed: second % 7 < 2 })],
    ['the same requests, which are well', (_second, at) => [...request(at, {}), ...request(at, {})]],
    ['slow requests', (second, at) => request(at, { durationMs: second % 3 === 0 ? 3_000 : 10 })],
    ['the same metric, which is high', (second, at) => [metricOf(at, 0.5 + (second % 2) / 10)]],
    [
      'many operations',
      (second, at) => range(10).map((n) => spanItem({ at, service: 'app', operation: wordOf(10 * second + n) })),
    ],
    [
      'many services',
      (second, at) => range(10).map((n) => log({ at, service: wordOf(10 * second + n), text: 'failed' })),
    ],
    ['another service for whom it calls', (_second, at) => aliased(at)],
  ])(
    'is found as soon while another reports %s',
    (_name, hostile) => {
      const opening = openingOf(honest, hostile);

      expect(opening.root).toBe(root);
      expect(opening.seconds).toBeLessThanOrEqual(alone.seconds + 15);
    },
    60_000,
  );
});

it('evidence that opens nothing keeps none of another key waiting outside', () => {
  const { graph, correlation } = createEngineState();
  const weak = range(20_000).map((n) =>
    evidence({ fingerprint: `${n}`, at: START, service: `made up ${n}`, strength: 0.1 }),
  );
  const found = evidence({ at: START, service: 'app', sender: 'honest key' });

  const events = correlate(correlation, {
    at: START,
    evidence: [...weak, found],
    answers: new Map(),
    graph: neighboursAt(graph, START),
  });

  expect(events.map(({ type, incident }) => [type, incident.root])).toEqual([['opened', 'app']]);
});

it('a few failed requests of a young service are found as soon while many of the services of another key fail', () => {
  const fault = 4_000;
  const honest: Report = (second, at) =>
    second < fault - 300 ? [] : [spanItem({ service: 'app', at, isFailed: second >= fault && second % 5 === 0 })];
  const hostile: Report = (second, at) =>
    range(10).map((n) => spanItem({ service: wordOf(n), at, isFailed: (second + n) % 7 < 2 }));

  const alone = openingOf(honest, () => [], fault).seconds;

  expect(alone).toBeLessThan(WATCHED);
  expect(openingOf(honest, hostile, fault).seconds).toBeLessThanOrEqual(alone + 15);
});

/** When the failure is in an incident, in seconds from its beginning on. */
function openingOf(honest: Report, hostile: Report, fault = FAULT) {
  const state = createEngineState();
  for (let second = 0; second < fault + WATCHED; second += 1) {
    const at = START + second * SECOND;
    advance(state, at);
    for (const { root, members } of state.correlation.live.byNumber.values()) {
      const isFound = [...members.values()].some(
        ({ evidence: { sender }, firstAt }) => sender === 'honest key' && firstAt >= START + fault * SECOND,
      );
      if (isFound) {
        return { seconds: second - fault, root };
      }
    }
    for (const item of hostile(second, at)) {
      observe(state, item, 'hostile key');
    }
    for (const item of honest(second, at)) {
      observe(state, item, 'honest key');
    }
  }
  return { seconds: Number.POSITIVE_INFINITY, root: null };
}

function log(values: Partial<LogItem>): LogItem {
  const about = { kind: 'log', service: 'app', severity: 'error', text: '', traceId: null, spanId: null } as const;
  return { at: START, ...about, ...values };
}

/** A request, and the call of a service that sends no spans. */
function request(at: number, values: { service?: string; isFailed?: boolean; durationMs?: number }): SpanItem[] {
  const { service = 'app', isFailed = false, durationMs = 10 } = values;
  const spans: SpanItem[] = [];
  const add = traceBuilder(spans, at);
  const entry = add(null, { service, durationMs: durationMs + 10, isFailed });
  add(entry, { service, operation: 'POST', role: 'client', peer: 'orders', durationMs, isFailed });
  return spans;
}

/** A request whose call is answered by a service of another name. */
function aliased(at: number): SpanItem[] {
  const spans = request(at, {});
  traceBuilder(spans, at)(null, {
    service: 'innocent',
    durationMs: 9,
    traceId: spans[1]?.traceId ?? '',
    parentSpanId: spans[1]?.spanId ?? null,
  });
  return spans;
}

function metricOf(at: number, value: number): MetricItem {
  return {
    kind: 'metric',
    service: 'app',
    at,
    instance: 'app-1',
    series: 'failed requests',
    name: 'failed requests',
    meaning: 'unavailability',
    value,
  };
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** Has no digits, which would be masked. */
function wordOf(number: number): string {
  return String(number).replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));
}
