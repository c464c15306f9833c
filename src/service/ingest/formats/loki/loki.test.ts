import { PbfWriter } from 'pbf';
import { describe, expect, it } from 'vitest';
import { AT, decodePush, json, linesOf, NANOS, NOW, PROTOBUF } from '../../../../../test/support/push-decode.ts';
import { lokiRequest, snap } from '../../../../../test/support/push-encode.ts';
import { readLogs } from '../../read-telemetry.ts';

describe("Loki's push API", () => {
  it('is read as JSON, with structured metadata', () => {
    const streams = [
      {
        stream: { app: 'shop', level: 'error' },
        values: [
          [NANOS, 'no card'],
          [NANOS, 'level=warn msg="slow"', { trace_id: 'a1'.repeat(16) }],
        ],
      },
      { stream: { job: 'varlogs', container_name: '/pay' }, values: [[NANOS, 'ERROR out of money']] },
    ];

    const decoded = decodePush('loki', json({ streams }));

    expect(linesOf(decoded)).toEqual([
      ['shop', 'error', 'no card', AT],
      ['shop', 'warning', 'slow', AT],
      ['pay', 'error', 'ERROR out of money', AT],
    ]);
    expect(readLogs(decoded.items, NOW).telemetry[1]).toMatchObject({ traceId: 'a1'.repeat(16) });
  });

  it('is read as protobuf in Snappy', () => {
    const body = lokiRequest('{namespace="a\\"b", job="x/y"}', ['ERROR no card'], new Date(AT));

    const { items } = decodePush('loki', body, PROTOBUF);

    expect(items[0]?.attributes).toEqual({ namespace: 'a"b', job: 'x/y', pod: 'pay-6d5f8c7b9d-x7k2p' });
    expect(linesOf({ ...decodePush('loki', body, PROTOBUF) })).toEqual([['pay', 'error', 'ERROR no card', AT]]);
  });

  it('rejects what is no line, and refuses what has no streams', () => {
    expect(
      decodePush(
        'loki',
        json({
          streams: [
            {
              stream: {},
              values: [
                [NANOS, 7],
                [NANOS, 'x'],
              ],
            },
          ],
        }),
      ),
    ).toMatchObject({
      rejected: 1,
      example: [NANOS, 7],
    });
    expect(() => decodePush('loki', '{"resourceLogs":[]}')).toThrow('it has no "streams"');
  });
});

it('refuses a protobuf that ends early', () => {
  const pbf = new PbfWriter();
  pbf.writeBytesField(1, Uint8Array.of(10, 200));

  expect(() => decodePush('loki', snap(pbf.finish()), PROTOBUF)).toThrow('varint');
});
