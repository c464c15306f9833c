import { expect, it } from 'vitest';
import { spanItem } from '../../../../test/support/span-item.ts';
import type { LogItem } from '../../core/telemetry-item.ts';
import { takeLines } from './span-lines.ts';
import { addSpan, addTraceLine, completeTraces, createTraceAssembly, keyOf, runOf } from './trace-assembly.ts';

const SLOT = 1_000;
const LATER = SLOT + 10;

it('leaves traces for the next slot if one has very many spans', () => {
  const state = createTraceAssembly();
  for (let index = 0; index < 150_000; index += 1) {
    addSpan(state, spanItem({ traceId: `trace ${index % 15_000}`, spanId: `span ${index}` }), 'key', SLOT);
  }

  const slots = [LATER, LATER + 1, LATER + 2].map((slot) => completeTraces(state, slot).traces.length);

  expect(slots).toEqual([10_000, 5_000, 0]);
});

it('remembers the newest judged spans at the same cost, however many came before', () => {
  const state = createTraceAssembly();
  const judge = (from: number) => {
    const before = process.cpuUsage();
    for (let index = from; index < from + 100_000; index += 1) {
      addSpan(
        state,
        spanItem({ traceId: `trace ${Math.floor(index / 10)}`, spanId: `span ${index}` }),
        'key',
        SLOT + from,
      );
    }
    completeTraces(state, LATER + from);
    return process.cpuUsage(before).user;
  };

  const times = [0, 1, 2, 3, 4, 5].map((round) => judge(round * 100_000));

  expect(Math.min(...times.slice(3)) / Math.min(...times.slice(0, 3))).toBeLessThan(3);
  expect(state.seen.size).toBeLessThanOrEqual(100_000);
  expect(state.seen.has('trace 59999span 599999')).toBe(true);
});

it('waits for an entry that comes half a minute late, once it has come too late for a few traces', () => {
  const state = createTraceAssembly();
  const isComplete: boolean[] = [];
  const send = (traceId: string, slot: number, parentSpanId: string | null) =>
    addSpan(state, spanItem({ traceId, spanId: `${traceId} ${parentSpanId}`, parentSpanId }), 'key', slot);

  for (let slot = SLOT; slot < SLOT + 60; slot += 1) {
    send(`trace ${slot}`, slot, 'entry');
    send(`trace ${slot - 7}`, slot, null);
    for (const { spans, isLate } of completeTraces(state, slot).traces) {
      isComplete.push(...(isLate ? [] : [spans.some(({ span }) => span.parentSpanId === null) && spans.length === 2]));
    }
  }

  expect(isComplete.slice(0, 5)).toEqual([false, false, false, false, false]);
  expect(isComplete.slice(-30).every(Boolean)).toBe(true);
});

it.each([
  ['that name no span wait for those of their service', 'checkout', true],
  ['of a service that sends no spans wait for nothing', 'stock', false],
])('lines of a trace %s', (_, service, waits) => {
  const state = createTraceAssembly();
  addSpan(state, spanItem(), 'key', SLOT);
  completeTraces(state, SLOT + 2);
  const span = spanItem({ traceId: 'next' });
  const line: LogItem = { kind: 'log', service, at: 0, severity: 'info', text: '', traceId: 'next', spanId: null };

  expect(addTraceLine(state, line, 'log served', 'key', SLOT + 3)).toBe(waits);

  addSpan(state, span, 'key', SLOT + 3);
  completeTraces(state, SLOT + 5);
  expect(takeLines(state.lines, keyOf(span), runOf(span)).size).toBe(waits ? 1 : 0);
  expect(addTraceLine(state, line, 'log served', 'key', SLOT + 6)).toBe(false);
});

it('lets no further line wait when 200,000 spans and runs have lines that wait', () => {
  const state = createTraceAssembly();
  const about = { kind: 'log', service: 'orders', at: 0, severity: 'info', text: '', spanId: 'span' } as const;
  const add = (index: number) =>
    addTraceLine(state, { ...about, traceId: `trace-${index}` }, 'log served', 'key', SLOT);

  const waits = Array.from({ length: 200_001 }, (_, index) => add(index));

  expect([waits.indexOf(false), add(0)]).toEqual([200_000, true]);
});

it('keeps the lines of a span as long as its trace waits for further spans', () => {
  const state = createTraceAssembly();
  const traceId = 'trace';
  const quick = spanItem({ traceId, parentSpanId: 'entry' });
  const line: LogItem = {
    kind: 'log',
    service: 'orders',
    at: 0,
    severity: 'info',
    text: '',
    traceId,
    spanId: quick.spanId,
  };
  addSpan(state, quick, 'key', SLOT);
  addTraceLine(state, line, 'log served', 'key', SLOT);

  const judged = Array.from({ length: 12 }, (_, index) => SLOT + index).map((slot) => {
    if (slot <= SLOT + 6) {
      addSpan(state, spanItem({ traceId, parentSpanId: 'entry' }), 'key', slot); // a caller tries again and again
    }
    const { traces, lostLines } = completeTraces(state, slot);
    return { lost: lostLines.length, lines: traces.map(() => takeLines(state.lines, keyOf(quick), runOf(quick)).size) };
  });

  expect(judged.filter(({ lines }) => lines.length > 0)).toEqual([{ lost: 0, lines: [1] }]);
});
