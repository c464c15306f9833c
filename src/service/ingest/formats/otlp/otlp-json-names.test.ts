import { describe, expect, it } from 'vitest';
import { finish } from '../../../../../test/support/finish.ts';
import { decodeLogs, decodeMetrics, decodeTraces } from './otlp-json.ts';

/** The same span in the dialects of senders (opentelemetry-collector issues 1899 and 8720, opentelemetry-swift pull 537). */
const [TRACE, SPAN] = ['acdde6416ab0651ddb988b928ed0a990', '08397d24ffd5ef34'];
const [START, END] = ['1769846400000000000', '1769846400005000000'];

const PRESENT = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'cart' } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: TRACE,
              spanId: SPAN,
              name: 'Simple',
              kind: 2,
              startTimeUnixNano: START,
              endTimeUnixNano: END,
              attributes: [{ key: 'retries', value: { intValue: '3' } }],
              status: { code: 2, message: 'boom' },
            },
          ],
        },
      ],
    },
  ],
};

function decode(text: string) {
  return finish(decodeTraces(Buffer.from(text)));
}

function rewritten(...changes: readonly (readonly [from: string | RegExp, to: string])[]): string {
  return changes.reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(PRESENT));
}

const toSnake = (key: string) => `"${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}":`;
const SNAKE = JSON.stringify(PRESENT).replaceAll(/"(\w+)":/g, (_, key: string) => toSnake(key));
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');

const dialects: Readonly<Record<string, string>> = {
  'the names of the definition': SNAKE,
  'what Go writes of its own structures': SNAKE.replaceAll(
    /\{"(string|int)_value":("\w+")\}/g,
    (_, type: string, value: string) =>
      `{"Value":{"${type === 'int' ? 'Int' : 'String'}Value":${type === 'int' ? value.slice(1, -1) : value}}}`,
  ).replaceAll(/"(\d{19})"/g, '$1'),
  'instrumentation libraries': rewritten(['scopeSpans', 'instrumentationLibrarySpans']),
  'ids in base64': rewritten([TRACE, base64(TRACE)], [SPAN, base64(SPAN)]),
  'ids in base64 without padding': rewritten(
    [TRACE, base64(TRACE).replace(/=+/, '')],
    [SPAN, base64(SPAN).slice(0, 11)],
  ),
  'ids in upper case': rewritten([TRACE, TRACE.toUpperCase()], [SPAN, SPAN.toUpperCase()]),
};

describe('OTLP/JSON', () => {
  it.each(Object.entries(dialects))('is read alike with %s', (_name, text) => {
    expect(text).not.toBe(JSON.stringify(PRESENT));
    expect(decode(text)).toEqual(decode(JSON.stringify(PRESENT)));
    expect(decode(text).items).toHaveLength(1);
  });

  it('is read with old names of logs', () => {
    const resourceLogs = [{ instrumentationLibraryLogs: [{ logs: [{ timeUnixNano: START, severityNumber: 17 }] }] }];

    expect(finish(decodeLogs(Buffer.from(JSON.stringify({ resourceLogs })))).items).toMatchObject([
      { severityNumber: 17 },
    ]);
  });

  it("is read with Go's metrics", () => {
    const data_points = [{ time_unix_nano: 1769846400000000000n, Value: { AsDouble: 2.5 } }];
    const metrics = [
      { name: 'queue.length', Data: { Sum: { data_points, aggregation_temporality: 2, is_monotonic: true } } },
    ];
    const body = JSON.stringify({ resource_metrics: [{ scope_metrics: [{ metrics }] }] }, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );

    expect(finish(decodeMetrics(Buffer.from(body))).items).toMatchObject([
      { value: 2.5, metric: { name: 'queue.length', kind: 'sum', temporality: 'cumulative', isMonotonic: true } },
    ]);
  });

  it('is refused at the address of another kind, with the right one', () => {
    expect(() => decode('{"resourceLogs":[]}')).toThrow('send them to /v1/logs');
    expect(() => decode('{"resource_metrics":[]}')).toThrow('send them to /v1/metrics');
  });

  it('is refused if nothing in it is known', () => {
    expect(() => decode('{"spans":[]}')).toThrow('it has "spans" and no "resourceSpans"');
    expect(decode('{}').items).toEqual([]);
    expect(decode('{"newField":1,"resourceSpans":[]}').items).toEqual([]);
  });

  it.each([
    [
      'a resource',
      '{"resourceSpans":[{"resource":{},"spans":[{}]}]}',
      '"spans" was not read: "scopeSpans" was expected',
    ],
    [
      'a scope',
      '{"resourceSpans":[{"scopeSpans":[{"scope":{},"span":[]}]}]}',
      '"span" was not read: "spans" was expected',
    ],
  ])('tells what it did not read of %s', (_name, text, unread) => {
    expect(decode(text)).toMatchObject({ items: [], unread });
  });

  it('is complete without spans', () => {
    expect(
      decode('{"resourceSpans":[{"resource":{},"schemaUrl":""},{"scopeSpans":[{"scope":{}}]}]}').unread,
    ).toBeNull();
  });

  it('keeps the first span that it rejects', () => {
    const [resource] = PRESENT.resourceSpans;
    const spans = [{ traceId: 'short' }, { traceId: 'other' }];

    const { rejected, example } = decode(JSON.stringify({ resourceSpans: [{ ...resource, scopeSpans: [{ spans }] }] }));

    expect({ rejected, example }).toEqual({ rejected: 2, example: { traceId: 'short' } });
  });
});
