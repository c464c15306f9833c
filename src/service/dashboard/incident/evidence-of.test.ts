import { expect, it } from 'vitest';
import type { StoredSignal } from '../../core/signal.ts';
import { FINDING } from '../../core/signal-source.ts';
import { oneLine, TEXT_LIMITS } from '../../core/text.ts';
import { evidenceOf } from './evidence-of.ts';

const AT = Date.parse('2026-11-22T09:02:00.000Z');

function span(service: string, more: Partial<StoredSignal> & { endMs?: number; ms?: number } = {}): StoredSignal {
  const { endMs = 60, ms = 40, ...rest } = more;
  const at = new Date(AT + endMs);
  return {
    id: `sig_${service}_${endMs}`,
    type: 'trace',
    service,
    summary: `POST /${service} fails (no account for order 7)`,
    severity: 'error',
    observedAt: at,
    receivedAt: at,
    lastSeenAt: at,
    endedAt: null,
    fingerprint: service,
    occurrences: 10,
    incidentId: 'inc_1',
    traceId: 'a'.repeat(32),
    spanId: null,
    attributes: { 'span.name': `POST /${service}`, currency: 'EUR' },
    source: { format: 'otlp', 'service.version': '1.4.2' },
    detail: { type: 'trace', durationMs: ms, status: 'error' },
    ...rest,
  };
}

function line(service: string, body: string, more: Partial<StoredSignal> = {}): StoredSignal {
  return span(service, {
    summary: oneLine(body, TEXT_LIMITS.summary),
    attributes: {},
    detail: { type: 'log', body },
    ...more,
  });
}

it('shows the message of a structured line, and the line as an example of it', () => {
  const body = '{"level":"error","trace":"4f2a","msg":"no space left on device"}';

  const [message] = evidenceOf([line('ledger', body, { summary: 'no space left on device' })], ['ledger']).messages;

  expect(message).toMatchObject({ text: 'no space left on device', full: body });
});

it('shows more of a long line than its summary', () => {
  const body = `cannot write ${'x'.repeat(250)}`;

  const [message] = evidenceOf([line('ledger', body, { summary: `${body.slice(0, 199)}…` })], ['ledger']).messages;

  expect(message?.text).toBe(body);
});

it('counts one failure once, where it began, however many services repeat it', () => {
  const own = [span('payments', { occurrences: 9 }), span('payments', { occurrences: 5, endMs: 9_000 })];

  const { messages } = evidenceOf([span('web'), span('checkout'), ...own], ['payments']);

  expect(messages).toMatchObject([
    { text: 'no account for order 7', service: 'payments', times: 14, others: ['web', 'checkout'] },
  ]);
});

it('tells apart what was measured, which is seen again every few seconds', () => {
  const source = { format: FINDING, family: 'requests_stopped' };
  const stopped = span('web', { summary: 'no request is reported any more', source, occurrences: 18 });

  const { messages } = evidenceOf([stopped, span('payments')], ['web']);

  expect(messages.map(({ service, isMeasured }) => [service, isMeasured])).toEqual([
    ['web', true],
    ['payments', false],
  ]);
});

it('begins with what the root says, once, and not with what its callers say more often', () => {
  const { messages } = evidenceOf(
    [
      span('web', { occurrences: 40, summary: 'POST /buy fails (checkout answered 502)' }),
      line('web', 'POST /buy failed: checkout answered 502', { occurrences: 41 }),
      span('checkout', { occurrences: 10, summary: 'POST /checkout fails (payments answered 500)' }),
      span('mail', { occurrences: 30, summary: 'POST /mail fails (no template)' }),
      line('payments', 'POST /payments failed: no account for order 8', { occurrences: 20 }),
      span('payments', { occurrences: 20 }),
    ],
    ['payments', 'checkout', 'web'],
  );

  expect(messages.map(({ service, text }) => [service, text])).toEqual([
    ['payments', 'no account for order 7'],
    ['checkout', 'payments answered 500'],
    ['web', 'checkout answered 502'],
    ['mail', 'no template'],
  ]);
});

it('shows a line as it was written, in full', () => {
  const body = 'charge failed: order 7\n  at charge (bank.ts:12)';

  const [message] = evidenceOf([line('payments', body, { occurrences: 30 }), span('web')], ['payments']).messages;

  expect(message).toMatchObject({ text: 'charge failed: order 7', full: body, times: 30 });
});

it('orders the steps of the trace of which most is stored by their beginning', () => {
  const other = span('mail', { traceId: 'b'.repeat(32) });
  const signals = [
    other,
    span('payments', { endMs: 50, ms: 20 }),
    span('web', { endMs: 60, ms: 60 }),
    line('web', 'no'),
  ];

  const { trace } = evidenceOf(signals, ['payments']);

  expect(trace).toMatchObject({ id: 'a'.repeat(32), durationMs: 60 });
  expect(trace?.steps.map(({ service, startMs, durationMs }) => [service, startMs, durationMs])).toEqual([
    ['web', 0, 60],
    ['payments', 30, 20],
    ['web', 60, null],
  ]);
});

it('shows the request of what is said first, rather than a longer one that says something else', () => {
  const own = 'b'.repeat(32);
  const signals = [
    span('web'),
    span('checkout'),
    line('web', 'no'),
    line('payments', 'no account', { traceId: own, occurrences: 90 }),
    span('payments', { traceId: own, summary: 'POST /payments fails (no account)', occurrences: 90 }),
  ];

  expect(evidenceOf(signals, ['payments']).trace).toMatchObject({ id: own });
});

it('shows what most failing signals have in common, with its share, and not what all telemetry has', () => {
  const { shared, affected, signals } = evidenceOf([span('web'), span('payments'), line('web', 'no')], ['payments']);

  expect(signals).toBe(3);
  expect(shared).toEqual([{ name: 'currency', value: 'EUR', signals: 2 }]);
  expect(affected).toEqual([
    { name: 'Operations', values: ['web: POST /web', 'payments: POST /payments'] },
    { name: 'Versions', values: ['web: 1.4.2', 'payments: 1.4.2'] },
  ]);
});

it('says how much it leaves out, and that it may be more if only the most frequent signals were read', () => {
  const signals = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) =>
    span('payments', {
      summary: `GET /${letter} fails (no ${letter} is left)`,
      attributes: { 'span.name': `GET /${letter}` },
    }),
  );

  const [all, some] = [evidenceOf(signals, ['payments']), evidenceOf(signals, ['payments'], { isCut: true })];

  expect([all, some].map(({ moreMessages, isCut }) => [moreMessages, isCut])).toEqual([
    [2, false],
    [2, true],
  ]);
  expect([all, some].map(({ affected }) => affected[0]?.values.at(-1))).toEqual(['and 2 more', 'and at least 2 more']);
});

it('has nothing to show when all signals are gone', () => {
  expect(evidenceOf([], ['payments'])).toEqual({
    messages: [],
    moreMessages: 0,
    trace: null,
    affected: [],
    shared: [],
    signals: 0,
    isCut: false,
  });
});

it('begins with what is said of the present failure, and leaves what was said of an earlier one to the end', () => {
  const since = new Date(AT + 10_000);
  const signals = [
    line('payments', 'statement canceled', { occurrences: 57 }),
    line('checkout', 'payments cannot be reached', { lastSeenAt: new Date(AT + 20_000), occurrences: 9 }),
  ];

  const { messages } = evidenceOf(signals, ['payments', 'checkout'], { since });

  expect(messages).toMatchObject([
    { text: 'payments cannot be reached', isPast: false },
    { text: 'statement canceled', isPast: true },
  ]);
});

it('leaves out how much was lost at first, unless nothing else is said', () => {
  const found = span('vendor', {
    summary: '4048 ms longer than usual in calls from web, in 6 of 6 requests',
    attributes: {},
    source: { format: FINDING, family: 'harmed_requests' },
  });

  expect(evidenceOf([found, span('web')], ['vendor']).messages).toMatchObject([{ service: 'web' }]);
  expect(evidenceOf([found], ['vendor']).messages).toMatchObject([{ service: 'vendor' }]);
});
