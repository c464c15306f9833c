import { expect, it } from 'vitest';
import { traceBuilder } from '../../../../../test/support/span-item.ts';
import type { SpanItem } from '../../../core/telemetry-item.ts';
import { buildTrees, walk } from '../request-tree.ts';
import { markFailedAnswers } from './failed-answers.ts';

const PAGE = { service: 'web', role: 'server', durationMs: 50 } as const;
const CALL = { service: 'web', role: 'client', peer: 'catalog', durationMs: 20 } as const;
const ANSWER = { service: 'catalog', role: 'server', durationMs: 15 } as const;

it('takes a call for failed whose server failed, whatever the call says', () => {
  const failed = failedIn((add) => {
    const call = add(add(null, PAGE), { ...CALL, isRejected: true });
    add(call, { ...ANSWER, isFailed: true });
  });

  expect(failed).toEqual(['client of web', 'server of catalog']);
});

it('believes a call that succeeded when it was tried again', () => {
  const failed = failedIn((add) => {
    const call = add(add(null, PAGE), CALL);
    add(call, { ...ANSWER, durationMs: 5, at: 5, isFailed: true });
    add(call, { ...ANSWER, durationMs: 5, at: 15 });
  });

  expect(failed).toEqual(['server of catalog']);
});

function failedIn(build: (add: ReturnType<typeof traceBuilder>) => void): string[] {
  const spans: SpanItem[] = [];
  build(traceBuilder(spans, 0));
  const entries = buildTrees(spans.map((span) => ({ span, sender: 'key' })));

  entries.forEach(markFailedAnswers);

  const nodes = entries.flatMap((entry) => [...walk(entry)]);
  return nodes.flatMap(({ span }) => (span.isFailed ? [`${span.role} of ${span.service}`] : [])).toSorted();
}
