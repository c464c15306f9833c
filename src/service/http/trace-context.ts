import { randomBytes } from 'node:crypto';

/** https://www.w3.org/TR/trace-context/#traceparent-header. Later versions may have more fields after the flags. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/;

/** The trace of a request; null when `traceparent` is absent or invalid. */
export function readTraceId(traceparent: string | undefined): string | null {
  const [, version, traceId, rest] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  return traceId === undefined || (version === '00' && rest !== undefined) ? null : traceId;
}

export function createTraceId(): string {
  return randomBytes(16).toString('hex');
}
