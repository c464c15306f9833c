import { describe, expect, it } from 'vitest';
import { finish } from '../../../../../test/support/finish.ts';
import { AT, decoderOf, NANOS, PROTOBUF } from '../../../../../test/support/push-decode.ts';
import { writeRequest } from '../../../../../test/support/push-encode.ts';
import { readMetrics } from '../../read-telemetry.ts';

describe('Prometheus remote write', () => {
  function points(body: Uint8Array) {
    const decoder = decoderOf('remote_write', PROTOBUF);
    if (decoder.kind !== 'metrics') {
      throw new Error('no metrics');
    }
    return finish(decoder.decode(body));
  }
  const ms = Date.parse(AT);
  const labels = { job: 'shop', instance: '10.0.0.1:9100', pod: 'pay-6d5f8c7b9d-x7k2p' };

  it('is read as gauges and counters of what the labels name', () => {
    const { items } = points(
      writeRequest([
        {
          labels: { ...labels, __name__: 'queue_depth' },
          samples: [
            [7, ms],
            [Number.NaN, ms + 1],
          ],
        },
        { labels: { ...labels, __name__: 'errors_total' }, samples: [[3, ms]] },
      ]),
    );

    expect(items).toMatchObject([
      { value: 7, timeNanos: BigInt(NANOS), metric: { name: 'queue_depth', kind: 'gauge' } },
      { value: 3, metric: { name: 'errors_total', kind: 'sum', isMonotonic: true, temporality: 'cumulative' } },
    ]);
    expect(items[0]?.resource).toMatchObject({
      service: 'pay',
      attributes: { 'service.instance.id': '10.0.0.1:9100' },
    });
  });

  it('is read as times where a sum and a count come together, which are judged', () => {
    const series = ['_sum', '_count', '_bucket'].map((suffix, index) => ({
      labels: { ...labels, __name__: `http_server_requests_seconds${suffix}`, method: 'GET' },
      samples: [[[2.5, 10, 4][index] ?? 0, ms]] as const,
    }));

    const { items } = points(writeRequest(series));

    expect(items).toMatchObject([{ value: 2.5, count: 10, metric: { kind: 'histogram', unit: 's' } }]);
    expect(readMetrics(items).telemetry).toMatchObject([{ kind: 'metric', service: 'pay' }, { kind: 'metric' }]);
  });

  it('is refused in version 2, by name', () => {
    const type = 'application/x-protobuf;proto=io.prometheus.write.v2.Request';

    expect(() => decoderOf('remote_write', { type })).toThrow('set protobuf_message to prometheus.WriteRequest');
  });
});
