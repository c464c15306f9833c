import { expect, it } from 'vitest';
import { waitsForOther } from './bundle.ts';

const other = (severity: 'critical' | 'error', rangMsAgo: number | null) => ({ pageId: 'page_1', severity, rangMsAgo });

it.each([
  ['nothing rings', [], false],
  ['another has not rung yet', [other('error', null)], false],
  ['another has just rung', [other('error', 60_000)], true],
  ['a worse one has just rung', [other('critical', 60_000)], true],
  ['another rang five minutes ago', [other('error', 300_000)], false],
] as const)('rings at once or waits for another incident of the same person: %s', (_case, others, waits) => {
  expect(waitsForOther('error', others)).toBe(waits);
});

it('rings at once for what is worse', () => {
  expect(waitsForOther('critical', [other('error', 1_000)])).toBe(false);
});
