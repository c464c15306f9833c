import { describe, expect, it } from 'vitest';
import type { LogRecord } from '../core/telemetry.ts';
import { readOtlp } from './formats/otlp/otlp-request.ts';
import { readLogLine } from './log-line.ts';
import { readLogs } from './read-telemetry.ts';

const NOW = new Date('2026-01-31T08:00:10Z');
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

function record(fields: Partial<LogRecord>): LogRecord {
  return {
    resource: { service: 'payments', attributes: {} },
    timeNanos: 1_769_846_400_000_000_000n,
    severityNumber: 0,
    severityText: '',
    body: '',
    attributes: {},
    traceId: null,
    spanId: null,
    ...fields,
  };
}

describe('a line of an agent that tells no severity', () => {
  it.each([
    [
      'JSON of zap',
      '{"level":"error","ts":1.7,"msg":"no card","error":"dial tcp: refused"}',
      17,
      'no card: dial tcp: refused',
    ],
    [
      'JSON of pino',
      '{"level":50,"time":1,"msg":"no card","err":{"type":"Error","message":"refused"}}',
      17,
      'no card: refused',
    ],
    ['JSON of GELF', '{"version":"1.1","level":3,"short_message":"no card"}', 17, 'no card'],
    ['JSON of ECS', '{"log":{"level":"WARN"},"message":"slow","error":{"message":"slow"}}', 13, 'slow'],
    ['JSON of ECS with dots', '{"log.level":"FATAL","message":"no memory"}', 21, 'no memory'],
    ['JSON of structlog', '{"event":"no card","level":"critical"}', 21, 'no card'],
    [
      'JSON of Python with a traceback',
      '{"message":"no card","levelname":"ERROR","exc_info":"Traceback (most recent call last):\\n  x\\nKeyError: 7"}',
      17,
      'no card: KeyError: 7',
    ],
    [
      'JSON of Serilog',
      '{"@m":"no card","@l":"Error","@x":"System.Exception: refused\\n at A.B()"}',
      17,
      'no card: System.Exception: refused',
    ],
    [
      'JSON of .NET',
      '{"EventId":0,"LogLevel":"Error","Message":"no card","Exception":"System.IO.IOException: refused\\n at A.B()"}',
      17,
      'no card: System.IO.IOException: refused',
    ],
    [
      'JSON of Docker',
      '{"log":"{\\"level\\":\\"error\\",\\"msg\\":\\"no card\\"}\\n","stream":"stderr"}',
      17,
      'no card',
    ],
    ['JSON of containerd', '2026-01-31T08:00:00.1Z stderr F {"level":"error","msg":"no card"}', 17, 'no card'],
    [
      'JSON behind a header of syslog',
      'Jan 31 08:00:00 web-1 cards[812]: {"level":"error","msg":"no card"}',
      17,
      'no card',
    ],
    [
      'JSON behind the level that AWS Lambda gives what is printed',
      '2026-01-31T08:00:00.123Z\t9d1c\tINFO\t{"level":"error","message":"no card"}\n',
      17,
      'no card',
    ],
    [
      'JSON that is a part of a message',
      '2026-01-31 08:00:00 ERROR no card {"error":"refused","order":7}',
      17,
      undefined,
    ],
    ['JSON without a level', '{"msg":"no card"}', 0, 'no card'],
    [
      'logfmt',
      'ts=2026-01-31T08:00:00Z caller=a.go:7 level=error msg="no \\"card\\"" err=refused',
      17,
      'no "card": refused',
    ],
    [
      'logfmt that has only a cause',
      'ts=2026-01-31T08:00:00Z caller=main.go:7 level=error err="no card"',
      17,
      'no card',
    ],
    ['logfmt of structlog', 'level=error event="no card" order=7', 17, 'no card'],
    ['a level between others', 'time=2026-01-31T08:00:00Z level=ERROR+4 msg="no card"', 17, 'no card'],
    ['logfmt of one word', 'level=info msg=started', 9, 'started'],
    ['logback', '2026-01-31 08:00:00,123 ERROR [exec-4] com.shop.Cards - no card', 17, undefined],
    ['Python', 'ERROR:root:no card', 17, undefined],
    ['nginx', '2026/01/31 08:00:00 [error] 31#31: *1 connect() failed', 17, undefined],
    ['Apache', '[Sat Jan 31 08:00:00 2026] [proxy:error] [pid 7] AH01114: no card', 17, undefined],
    ['Kubernetes', 'E0131 08:00:00.000000       1 cards.go:42] no card', 17, undefined],
    ['PostgreSQL', '2026-01-31 08:00:00.123 UTC [7] FATAL:  no memory', 21, undefined],
    ['Serilog', '[08:00:00 ERR] no card', 17, undefined],
    ['zerolog', '8:00AM FTL no card', 21, undefined],
    ['structlog', '2026-01-31 08:00:00 [error    ] no card', 17, undefined],
    ['Envoy', '[2026-01-31 08:00:00.123][1][critical][main] [source/server/server.cc:131] no', 21, undefined],
    ['Celery', '[2026-01-31 08:00:00,123: ERROR/ForkPoolWorker-1] Task shop.charge[9d] raised', 17, undefined],
    ['Monolog', '[2026-01-31T08:00:00.123456+00:00] request.CRITICAL: Uncaught PHP Exception', 21, undefined],
    ['.NET', 'fail: Shop.Cards[0]', 17, undefined],
    ['a first word before the word error', 'warn: Shop.Cards[0] was told ERROR 7', 13, undefined],
    ['a common word before a level', 'CONFIG ERROR: no card', 17, undefined],
    ['a level before the word error', '2026-01-31 08:00:00 INFO Cards - was told ERROR 7', 9, undefined],
    [
      'a crash of Python',
      'Traceback (most recent call last):\n  File "a.py", line 7\nKeyError: 7\n',
      17,
      'KeyError: 7',
    ],
    ['a crash of Go', 'panic: runtime error: index out of range [3] with length 3', 17, undefined],
    ['a crash of Node', "TypeError: Cannot read properties of undefined (reading 'card')", 17, undefined],
    ['a crash of Java', 'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space', 17, undefined],
    ['a crash of .NET', 'Unhandled exception. System.InvalidOperationException: no card', 17, undefined],
    ['a crash of Rust', "thread 'main' panicked at src/main.rs:4:5:", 17, undefined],
    ['a crash of PHP', 'PHP Fatal error:  Uncaught Exception: no card in /srv/cards.php:7', 17, undefined],
    ['a crash of a request in Go', '2026/01/31 08:00:00 http: panic serving 10.0.0.1:5: no card', 17, undefined],
    ['a handler of crashes', 'installed a handler for unhandled exceptions', 0, undefined],
    ['an exception', 'com.shop.cards.NoCardException: no card', 17, undefined],
    ['a sentence', 'no error so far, all is fine', 0, undefined],
    ['JSON that is cut off', '{"level":"error","msg":"no ca', 0, undefined],
    ['a list', '["level","error"]', 0, undefined],
  ])('in the form of %s', (_, body, severityNumber, message) => {
    expect(readLogLine(record({ body }))).toMatchObject({ severityNumber, body, ...(message && { message }) });
    expect(readLogLine(record({ body })).message).toBe(message);
  });

  it.each([
    [
      'of Fluent Bit',
      { log: '2026-01-31 08:00:00 ERROR no card\n', stream: 'stderr' },
      17,
      '2026-01-31 08:00:00 ERROR no card\n',
    ],
    ['of Fluent Bit with JSON in it', { log: '{"level":"warn","msg":"slow"}', stream: 'stdout' }, 13, 'slow'],
    ['of journald', { MESSAGE: 'no card', PRIORITY: '3', _SYSTEMD_UNIT: 'cards.service' }, 17, 'no card'],
    ['without a level, whose message has one', { message: 'ERROR no card' }, 17, 'ERROR no card'],
    ['without words', { code: 7 }, 0, undefined],
  ])('in a structured body %s', (_, body, severityNumber, message) => {
    expect(readLogLine(record({ body }))).toEqual({ ...record({ body, severityNumber }), ...(message && { message }) });
  });

  it('may have its level and trace in attributes, to which the agent parsed it', () => {
    const attributes = { level: 'error', trace_id: TRACE, span_id: SPAN };

    expect(readLogLine(record({ body: 'no card', attributes }))).toMatchObject({
      severityNumber: 17,
      traceId: TRACE,
      spanId: SPAN,
    });
  });

  it.each([
    ['trace_id', 'span_id'],
    ['traceId', 'spanId'],
    ['trace.id', 'span.id'],
    ['otelTraceID', 'otelSpanID'],
  ])('belongs to the trace in %s', (traceKey, spanKey) => {
    const body = { msg: 'no card', [traceKey]: TRACE.toUpperCase(), [spanKey]: SPAN };

    expect(readLogLine(record({ body }))).toMatchObject({ message: 'no card', traceId: TRACE, spanId: SPAN });
  });

  it.each([['0'.repeat(32)], ['7'], [`${TRACE}0`], ['g'.repeat(32)]])('belongs to no trace %s', (traceId) => {
    expect(readLogLine(record({ body: { msg: 'no card', trace_id: traceId } }))).toMatchObject({ traceId: null });
  });
});

it.each([
  ['a line in plain text', '\u001b[2m2026-01-31T08:00:00Z\u001b[0m \u001b[31mERROR\u001b[0m shop: no card'],
  ['a line of Docker', '{"log":"\\u001b[31mERROR\\u001b[39m no card\\n","stream":"stderr"}'],
  ['JSON', '{"level":"\\u001b[31merror\\u001b[39m","message":"\\u001b[1mno card\\u001b[0m"}'],
  ['a map', { level: '\u001b[31merror\u001b[39m', message: '\u001b[1mno card\u001b[0m' }],
])('reads %s without the colors of a terminal', (_, body) => {
  const read = readLogLine(record({ body }));

  expect(read.severityNumber).toBe(17);
  expect(read.message).toMatch(/^(?:[\w:-]+ )*(?:ERROR )?(?:shop: )?no card$/);
});

it('keeps what the sender tells', () => {
  const told = record({
    body: { level: 'error', msg: 'no card', trace_id: TRACE },
    severityNumber: 9,
    traceId: SPAN + SPAN,
  });

  expect(readLogLine(told)).toEqual({ ...told, message: 'no card' });
  expect(readLogLine(record({ severityText: 'INFO', body: '{"level":"error"}' }))).toMatchObject({ severityNumber: 0 });
});

it('tells structured lines apart by their messages, and keeps them whole', () => {
  const line = (msg: string, order: number) => JSON.stringify({ level: 'error', time: order, msg, order });
  const bodies = [line('no card', 1), line('no stock', 2), line('no card', 3)];

  const { signals, telemetry } = readLogs(
    bodies.map((body) => record({ body })),
    NOW,
  );

  expect(signals.map(({ summary, severity, occurrences }) => [summary, severity, occurrences])).toEqual([
    ['no card', 'error', 2],
    ['no stock', 'error', 1],
  ]);
  expect(signals.map(({ detail }) => detail)).toEqual(bodies.slice(0, 2).map((body) => ({ type: 'log', body })));
  expect(telemetry).toMatchObject([{ text: 'no card' }, { text: 'no stock' }, { text: 'no card' }]);
});

it('reads at most 65,536 characters', () => {
  const line = (length: number) => `{"level":"error","msg":"${'x'.repeat(length - 26)}"}`;

  expect(readLogLine(record({ body: line(65_536) }))).toMatchObject({ severityNumber: 17 });
  expect(readLogLine(record({ body: line(65_537) }))).toMatchObject({ severityNumber: 0 });
});

it('takes hostile lines for plain text', () => {
  const hostile = [
    '{"a":'.repeat(13_000),
    'level=error msg="'.repeat(3_800),
    `msg="${'\\"'.repeat(32_000)}`,
    ' '.repeat(65_000),
    '\u001b['.repeat(32_000),
    `\u001b[${'1;'.repeat(32_000)}`,
    `x${'{"'.repeat(32_000)}}`,
  ];

  const severities = hostile.map((body) => readLogLine(record({ body })).severityNumber);

  expect(severities).toEqual([0, 17, 0, 0, 0, 0, 0]);
});

it('reads long lines in steps, between which others are served', () => {
  const value = { stringValue: `{"level":"error","msg":"${'x'.repeat(50_000)}"}` };
  const countSteps = (logRecord: object) => {
    const logRecords = Array.from({ length: 100 }, () => logRecord);
    const request = Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }));
    const reading = readOtlp(request, { kind: 'logs', encoding: 'json', now: NOW });
    let steps = 0;
    while (reading.next().done !== true) {
      steps += 1;
    }
    return steps;
  };
  const asLong = countSteps({ attributes: [{ key: 'line', value }] });

  expect(countSteps({ body: value })).toBeGreaterThanOrEqual(asLong + 9);
});
