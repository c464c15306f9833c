import { expect, it } from 'vitest';
import { spanItem } from '../../../../test/support/span-item.ts';
import type { SpanItem } from '../../core/telemetry-item.ts';
import { buildTrees, walk } from './request-tree.ts';

it('takes two callees of a span that never came for two requests, not for a caller and its callee', () => {
  const first = span({ service: 'fraud', at: 40, durationMs: 30, parentSpanId: 'lost-1' });
  const second = span({ service: 'prices', at: 80, durationMs: 30, parentSpanId: 'lost-2' });

  const trees = treesOf([first, second]);

  expect(trees).toEqual([['fraud'], ['prices']]);
});

it('hangs spans without their parents below the entry', () => {
  const entry = span({ service: 'web', at: 100, durationMs: 100 });
  const orphans = ['lost-1', 'lost-2'].map((parentSpanId) =>
    span({ service: `callee of ${parentSpanId}`, at: 90, durationMs: 30, parentSpanId }),
  );

  const trees = treesOf([entry, ...orphans]);

  expect(trees.map((services) => services.toSorted())).toEqual([['callee of lost-1', 'callee of lost-2', 'web']]);
});

it.each([null, 'lost-2'])(
  'keeps a request whose entry never came, and that sent a message (parent of its callee: %s)',
  (lost) => {
    const request = span({ service: 'checkout', at: 100, durationMs: 90, parentSpanId: 'lost-1' });
    const sent = span({ service: 'checkout', role: 'client', at: 95, durationMs: 3, parentSpanId: request.spanId });
    const taken = span({ service: 'mail', role: 'consumer', at: 400, durationMs: 200, parentSpanId: sent.spanId });
    const other = span({ service: 'auth', at: 8, durationMs: 6, parentSpanId: lost ?? 'lost-1' });

    const trees = treesOf([request, sent, taken, other]);

    expect(trees.map((services) => services.toSorted())).toEqual([['auth'], ['checkout', 'checkout'], ['mail']]);
  },
);

function span(values: Partial<SpanItem>): SpanItem {
  return spanItem({ traceId: 'trace', ...values });
}

function treesOf(spans: readonly SpanItem[]): string[][] {
  const entries = buildTrees(spans.map((each) => ({ span: each, sender: 'key' })));
  return entries.map((entry) => [...walk(entry)].map((node) => node.span.service));
}
