import { describe, expect, it } from 'vitest';
import { finish } from '../../../../test/support/finish.ts';
import { decodePush, decoderOf, NOW, PROTOBUF, type Pushed } from '../../../../test/support/push-decode.ts';
import { lokiRequest, writeRequest } from '../../../../test/support/push-encode.ts';
import type { PushType } from '../formats/formats.ts';
import { INGEST_LIMITS, RequestTooLargeError } from '../limits.ts';

describe('a push may have 50,000 entries', () => {
  const many = (count: number, text: string) => text.repeat(count);
  const bodies: Readonly<Record<string, readonly [PushType, (count: number) => string | Uint8Array, Pushed?]>> = {
    'in JSON of Loki': ['loki', (n) => `{"streams":[{"values":[${many(n - 1, '["1","a"],')}["1","a"]]}]}`],
    'in protobuf of Loki': [
      'loki',
      (n) =>
        lokiRequest(
          '{}',
          Array.from({ length: n }, () => 'a'),
          NOW,
        ),
      PROTOBUF,
    ],
    'in a bulk': ['elasticsearch', (n) => many(n, '{"index":{}}\n{"a":1}\n')],
    'as events of Splunk': ['splunk_hec', (n) => many(n, '{"event":"a"}')],
    'as raw lines of Splunk': ['splunk_hec', (n) => many(n, 'a\n'), { path: '/services/collector/raw' }],
    'of syslog': ['syslog', (n) => many(n, 'a\n')],
  };

  it.each(Object.entries(bodies))('%s', (_name, [type, body, pushed]) => {
    const { items } = INGEST_LIMITS;

    expect(decodePush(type, body(items), pushed).items).toHaveLength(items);
    expect(() => decodePush(type, body(items + 1), pushed)).toThrow(RequestTooLargeError);
  });

  it('as samples of Prometheus', () => {
    const decoder = decoderOf('remote_write', PROTOBUF);
    const body = (count: number) => {
      const halves = [10_000, 10_000, 10_000, 10_000, count - 40_000];
      return writeRequest(
        halves.map((n, at) => ({
          labels: { __name__: `x${at}` },
          samples: Array.from({ length: n }, () => [1, 1] as const),
        })),
      );
    };
    const count = (n: number) => (decoder.kind === 'metrics' ? finish(decoder.decode(body(n))).items.length : 0);

    expect(count(INGEST_LIMITS.items)).toBe(INGEST_LIMITS.items);
    expect(() => count(INGEST_LIMITS.items + 1)).toThrow(RequestTooLargeError);
  });
});

it.each<[PushType, (text: string) => string]>([
  ['loki', (text) => `{"streams":[{"values":[["1","${text}"],["1","a"]]}]}`],
  ['elasticsearch', (text) => `{"index":{}}\n{"a":"${text}"}\n{"index":{}}\n{"a":1}`],
  ['splunk_hec', (text) => `{"event":"${text}"}{"event":"a"}`],
  ['syslog', (text) => `<3>${text}\n<3>a`],
])('leaves out what is larger than a mebibyte, and takes the rest of %s', (type, body) => {
  const { tooLarge, items } = decodePush(type, body('x'.repeat(INGEST_LIMITS.itemBytes)));

  expect({ tooLarge, items: items.length }).toEqual({ tooLarge: 1, items: 1 });
});
