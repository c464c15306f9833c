import { expect, it } from 'vitest';
import { spanItem } from '../../../../test/support/span-item.ts';
import type { SpanItem } from '../../core/telemetry-item.ts';
import { chargeMoments } from './critical-path.ts';
import { buildTrees, walk } from './request-tree.ts';
import { createUsualTimes } from './usual-times.ts';

/** A span below the entry, or below another one that `below` names. */
interface Part extends Partial<SpanItem> {
  readonly from: number;
  readonly to: number;
  readonly below?: string;
}

it.each<{ what: string; parts: readonly Part[]; charged: Readonly<Record<string, number>> }>([
  {
    what: 'calls one after the other',
    parts: [
      { service: 'stock', from: 10, to: 30 },
      { service: 'prices', from: 30, to: 60 },
    ],
    charged: { orders: 50, stock: 20, prices: 30 },
  },
  {
    what: 'calls at the same time',
    parts: [
      { service: 'stock', from: 10, to: 60 },
      { service: 'prices', from: 20, to: 50 },
    ],
    charged: { orders: 50, stock: 35, prices: 15 },
  },
  {
    what: 'steps of its own at the same time',
    parts: [
      { service: 'orders', operation: 'one', role: 'internal', from: 10, to: 60 },
      { service: 'orders', operation: 'other', role: 'internal', from: 20, to: 70 },
    ],
    charged: { orders: 40, 'orders one': 30, 'orders other': 30 },
  },
  {
    what: 'calls of services with other clocks',
    parts: [
      { service: 'stock', from: -40, to: 10 },
      { service: 'prices', from: 150, to: 170 },
    ],
    charged: { orders: 30, stock: 50, prices: 20 },
  },
  {
    what: 'a step that waits for a call beside it',
    parts: [
      { service: 'orders', operation: 'filter', role: 'internal', from: 5, to: 95 },
      { service: 'orders', operation: 'GET', role: 'client', from: 10, to: 90 },
      { service: 'stock', below: 'GET', from: 20, to: 80 },
    ],
    charged: { orders: 10, 'orders filter': 10, 'orders GET': 20, stock: 60 },
  },
  {
    what: 'a step that waits for a database beside it, which reports nothing',
    parts: [
      { service: 'orders', operation: 'filter', role: 'internal', from: 5, to: 95 },
      { service: 'orders', operation: 'SELECT', role: 'client', peer: 'orders-db', from: 10, to: 90 },
    ],
    charged: { orders: 10, 'orders filter': 10, 'orders SELECT': 80 },
  },
  {
    what: 'a callee that goes on after its caller has given up',
    parts: [
      { service: 'orders', operation: 'GET', role: 'client', from: 10, to: 60, isFailed: true },
      { service: 'stock', below: 'GET', from: 10, to: 400 },
    ],
    charged: { orders: 50, 'orders GET': 0, stock: 50 },
  },
  {
    what: 'a pause between two tries',
    parts: [
      { service: 'stock', from: 10, to: 20, isFailed: true },
      { service: 'stock', from: 60, to: 90 },
    ],
    charged: { orders: 20, stock: 40, 'pause of stock': 40 },
  },
])('charges each moment once: $what', ({ parts, charged }) => {
  const sums: Record<string, number> = {};
  for (const { span, ownMs, pauseMs } of walk(chargedRequest(parts))) {
    const name = [span.service, span.operation].filter((each) => each !== '').join(' ');
    sums[name] = (sums[name] ?? 0) + ownMs;
    if (pauseMs > 0) {
      sums[`pause of ${name}`] = pauseMs;
    }
  }

  expect(sums).toEqual(charged);
});

/** A request to `orders` from 0 to 100 ms. */
function chargedRequest(parts: readonly Part[]) {
  const entry = spanItem({ service: 'orders', operation: '', at: 100, durationMs: 100 });
  const { traceId, spanId } = entry;
  const spans: SpanItem[] = [];
  for (const { from, to, below, ...about } of parts) {
    const parent = spans.find(({ operation }) => operation !== '' && operation === below);
    const times = { at: to, durationMs: to - from, parentSpanId: parent?.spanId ?? spanId };
    spans.push(spanItem({ traceId, operation: '', ...about, ...times }));
  }
  const [top] = buildTrees([entry, ...spans].map((span) => ({ span, sender: 'key' })));
  if (top === undefined) {
    throw new Error('no entry');
  }
  chargeMoments(createUsualTimes(), top);
  return top;
}
