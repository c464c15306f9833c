import { expect, it } from 'vitest';
import { traceBuilder } from '../../../../../test/support/span-item.ts';
import type { SpanItem } from '../../../core/telemetry-item.ts';
import { buildTrees } from '../request-tree.ts';
import { createUsualTimes } from '../usual-times.ts';
import { markFailedRuns } from './clients-without-status.ts';

const TASK = { service: 'users', role: 'internal', operation: 'buy', durationMs: 60 } as const;
const GET = { service: 'users', role: 'client', operation: 'GET', peer: 'shop', durationMs: 10, at: 10 } as const;

it('takes a task without a status for lost if a call in it failed', () => {
  expect(isLost({ ...TASK, isUntold: true }, [{ ...GET, isFailed: true }])).toBe(true);
});

it('believes a task that says how it ended', () => {
  expect(isLost(TASK, [{ ...GET, isFailed: true }])).toBe(false);
});

it('takes a call that was made again, and then succeeded, for no loss', () => {
  expect(
    isLost({ ...TASK, isUntold: true }, [
      { ...GET, isFailed: true },
      { ...GET, at: 40 },
    ]),
  ).toBe(false);
});

function isLost(task: Partial<SpanItem> & typeof TASK, calls: readonly Partial<SpanItem>[]): boolean | undefined {
  const spans: SpanItem[] = [];
  const add = traceBuilder(spans, 0);
  const first = add(null, task);
  for (const call of calls) {
    add(first, { ...GET, ...call });
  }
  const [entry] = buildTrees(spans.map((span) => ({ span, sender: 'key' })));
  if (entry !== undefined) {
    markFailedRuns(createUsualTimes(), entry);
  }
  return entry?.span.isFailed;
}
