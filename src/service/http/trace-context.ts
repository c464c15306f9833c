import { randomBytes } from 'node:crypto';

/** https://www.w3.org/TR/trace-context/#traceparent-header: a later version may go on after the flags. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/;

/** The trace that a request belongs to; null: it names none, or not as the standard has it. */
export function readTraceId(traceparent: string | undefined): string | null {
  const [, version, traceId, rest] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  return traceId === undefined || (version === '00' && rest !== undefined) ? null : traceId;
}

export function createTraceId(): string {
  return randomBytes(16).toString('hex');
}
