import { expect, it } from 'vitest';
import { traceBuilder } from '../../../../../test/support/span-item.ts';
import type { SpanItem } from '../../../core/telemetry-item.ts';
import { buildTrees } from '../request-tree.ts';
import { takeOutWaiting } from './waiting-loops.ts';

const WAITED_MS = 6_000;
const LOOP = { service: 'ledger', role: 'internal', durationMs: WAITED_MS + 9 } as const;
const RECEIVE = { service: 'ledger', role: 'consumer', durationMs: WAITED_MS } as const;
const SAVE = { service: 'ledger', role: 'client', peer: 'postgresql:db-1', durationMs: 6 } as const;

it('takes the wait for a message out of the loop that received it, and leaves the work', () => {
  expect(durationsOf({ savedAt: WAITED_MS + 8 })).toEqual({ internal: 9, consumer: 0, client: 6 });
});

it('leaves a loop that worked before the message came as it is', () => {
  expect(durationsOf({ savedAt: WAITED_MS - 100 })).toEqual({
    internal: WAITED_MS + 9,
    consumer: WAITED_MS,
    client: 6,
  });
});

/** @param savedAt end of the one step of the loop that is work */
function durationsOf({ savedAt }: { savedAt: number }): Record<string, number> {
  const spans: SpanItem[] = [];
  const add = traceBuilder(spans, 0);
  const loop = add(null, LOOP);
  add(loop, RECEIVE);
  add(loop, { ...SAVE, at: savedAt });
  const entries = buildTrees(spans.map((span) => ({ span, sender: 'key' })));

  entries.forEach(takeOutWaiting);

  const nodes = entries.flatMap((entry) => [
    entry,
    ...(entry.parent === null ? [] : [entry.parent, ...entry.parent.children]),
  ]);
  return Object.fromEntries(nodes.map(({ span }) => [span.role, span.durationMs]));
}
