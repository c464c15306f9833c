import { PbfReader, PbfWriter } from 'pbf';

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';

/** A message that is not compressed, with its prefix: a flag and the length. */
export function writeFrame(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.byteLength);
  frame.writeUInt32BE(message.byteLength, 1);
  frame.set(message, 5);
  return frame;
}

/** Reads a `google.rpc.Status` (1: code, 2: message) that we wrote. @returns null as the code when it is none */
export function readFailure(bytes: Uint8Array): { readonly code: number | null; readonly message: string } {
  const failure = { code: null as number | null, message: 'internal' };
  try {
    new PbfReader(bytes).readFields((tag, _, pbf) => {
      if (tag === 1) failure.code = pbf.readVarint();
      else if (tag === 2) failure.message = pbf.readString();
    }, failure);
  } catch {
    return { code: null, message: 'internal' };
  }
  return failure;
}

/** `grpc-status-details-bin`: a `google.rpc.Status` with a `RetryInfo` (1: a `Duration`, 1: seconds) as its detail. */
export function retryDetails(status: number, message: string, retryAfterSeconds: number): string {
  const pbf = new PbfWriter();
  pbf.writeVarintField(1, status);
  pbf.writeStringField(2, message);
  pbf.writeMessage(
    3,
    (_, any) => {
      any.writeStringField(1, RETRY_INFO);
      any.writeMessage(
        2,
        (__, info) =>
          info.writeMessage(1, (___, duration) => duration.writeVarintField(1, retryAfterSeconds), undefined),
        undefined,
      );
    },
    undefined,
  );
  return Buffer.from(pbf.finish()).toString('base64');
}
