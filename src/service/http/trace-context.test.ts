import { expect, it } from 'vitest';
import { createTraceId, readTraceId } from './trace-context.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

it.each([
  ['the example of the standard', `00-${TRACE_ID}-b7ad6b7169203331-01`],
  ['a later version', `cc-${TRACE_ID}-b7ad6b7169203331-01`],
  ['a later version with more', `cc-${TRACE_ID}-b7ad6b7169203331-01-what-will-be`],
])('reads the trace of %s', (_name, traceparent) => {
  expect(readTraceId(traceparent)).toBe(TRACE_ID);
});

it.each([
  ['none', undefined],
  ['nothing', ''],
  ['version ff', `ff-${TRACE_ID}-b7ad6b7169203331-01`],
  ['more than version 00 has', `00-${TRACE_ID}-b7ad6b7169203331-01-more`],
  ['a later version with more but no dash', `cc-${TRACE_ID}-b7ad6b7169203331-01.more`],
  ['capitals', `00-${TRACE_ID.toUpperCase()}-b7ad6b7169203331-01`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
  ['a parent id of zeros', `00-${TRACE_ID}-0000000000000000-01`],
  ['a short id', `00-${TRACE_ID.slice(1)}-b7ad6b7169203331-01`],
])('takes no trace from %s', (_name, traceparent) => {
  expect(readTraceId(traceparent)).toBeNull();
});

it('creates an id that the standard allows', () => {
  const traceId = createTraceId();

  expect(readTraceId(`00-${traceId}-b7ad6b7169203331-01`)).toBe(traceId);
});
