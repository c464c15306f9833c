import { PbfWriter } from 'pbf';

/** Snappy's block format with literals only, as an encoder may write it. */
export function snap(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.from(varint(bytes.length))];
  for (let at = 0; at < bytes.length; at += 60) {
    const piece = bytes.subarray(at, at + 60);
    parts.push(Uint8Array.of((piece.length - 1) << 2), piece);
  }
  return Buffer.concat(parts);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

interface Series {
  /** With `__name__`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: readonly (readonly [value: number, ms: number])[];
}

/** A `prometheus.WriteRequest` in Snappy. */
export function writeRequest(series: readonly Series[]): Uint8Array {
  const pbf = new PbfWriter();
  for (const { labels, samples } of series) {
    const own = new PbfWriter();
    for (const [name, value] of Object.entries(labels)) {
      own.writeBytesField(1, texts([1, name], [2, value]));
    }
    for (const [value, ms] of samples) {
      const sample = new PbfWriter();
      sample.writeDoubleField(1, value);
      sample.writeVarintField(2, ms);
      own.writeBytesField(2, sample.finish());
    }
    pbf.writeBytesField(1, own.finish());
  }
  return snap(pbf.finish());
}

/** Loki's `PushRequest` in Snappy. */
export function lokiRequest(labels: string, lines: readonly string[], at: Date): Uint8Array {
  const stream = new PbfWriter();
  stream.writeStringField(1, labels);
  for (const line of lines) {
    const time = new PbfWriter();
    time.writeVarintField(1, Math.floor(at.getTime() / 1_000));
    const entry = new PbfWriter();
    entry.writeBytesField(1, time.finish());
    entry.writeStringField(2, line);
    entry.writeBytesField(3, texts([1, 'pod'], [2, 'pay-6d5f8c7b9d-x7k2p']));
    stream.writeBytesField(2, entry.finish());
  }
  const pbf = new PbfWriter();
  pbf.writeBytesField(1, stream.finish());
  return snap(pbf.finish());
}

function texts(...fields: readonly (readonly [tag: number, text: string])[]): Uint8Array {
  const pbf = new PbfWriter();
  for (const [tag, text] of fields) {
    pbf.writeStringField(tag, text);
  }
  return pbf.finish();
}
