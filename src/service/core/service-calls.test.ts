import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCalls, createCallState, sumCalls } from './service-calls.ts';
import type { Span } from './telemetry.ts';

function span(service: string, spanId: string, parentSpanId: string | null, fields: Partial<Span> = {}): Span {
  return {
    resource: { service, attributes: {} },
    traceId: 'a'.repeat(32),
    spanId,
    parentSpanId,
    name: 'x',
    kind: 'server',
    startNanos: 1n,
    endNanos: 2n,
    attributes: {},
    status: 'unset',
    statusMessage: '',
    exception: null,
    ...fields,
  };
}

const client: Partial<Span> = { kind: 'client' };
const failed: Partial<Span> = { status: 'error' };

/** web calls orders. orders calls payments, which fails, and names it in `peer.service` too. */
const request: readonly Span[] = [
  span('web', '1', null),
  span('web', '2', '1', client),
  span('orders', '3', '2'),
  span('orders', '4', '3', { ...client, ...failed, attributes: { 'peer.service': 'payments' } }),
  span('payments', '5', '4', failed),
];

const expected = [
  { from: 'orders', to: 'payments', calls: 1, errors: 1 },
  { from: 'web', to: 'orders', calls: 1, errors: 0 },
];

describe('calls between services', () => {
  it('are counted once, whatever the order and batches of the spans', () => {
    const order = fc.shuffledSubarray([...request, ...request], { minLength: 10 });

    fc.assert(
      fc.property(order, fc.nat({ max: 10 }), (spans, cut) => {
        const state = createCallState();
        const calls = [...countCalls(spans.slice(0, cut), state), ...countCalls(spans.slice(cut), state)];
        expect(sumCalls(calls).toSorted((a, b) => a.from.localeCompare(b.from))).toEqual(expected);
      }),
    );
  });

  it('fail when the caller reports a failure, even if the callee does not', () => {
    const spans = [span('orders', '1', null, { ...client, ...failed }), span('db', '2', '1')];

    expect(countCalls(spans, createCallState())).toEqual([{ from: 'orders', to: 'db', calls: 1, errors: 1 }]);
  });

  it('do not fail when the caller made the error, or fails for another reason', () => {
    const refused = { ...client, ...failed, attributes: { 'peer.service': 'bank', 'http.response.status_code': 404 } };
    const spans = [span('orders', '1', null, refused), span('web', '2', null, failed), span('catalog', '3', '2')];

    expect(countCalls(spans, createCallState())).toEqual([
      { from: 'orders', to: 'bank', calls: 1, errors: 0 },
      { from: 'web', to: 'catalog', calls: 1, errors: 0 },
    ]);
  });

  it('are not counted within a service or with an unnamed service', () => {
    const spans = [span('web', '1', null), span('web', '2', '1'), span('unknown', '3', '1'), span('web', '4', '3')];

    expect(countCalls(spans, createCallState())).toEqual([]);
  });

  it('use bounded memory for a missing parent with many children', () => {
    const state = createCallState();
    const children = Array.from({ length: 20_000 }, (_, index) => span('web', `${index}`, 'never'));

    countCalls(children, state);

    expect([...state.orphans.values()].flat().length).toBeLessThanOrEqual(100);
  });
});
