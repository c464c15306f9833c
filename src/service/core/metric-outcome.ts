import { isFailedRpc } from './rpc-status.ts';
import type { Attributes } from './telemetry.ts';
import { textOf } from './text.ts';

/** Attributes that describe the outcome of a request, with `.` as `_`: OpenTelemetry, old and new, Micrometer, Prometheus. */
const HTTP_STATUS = new Set(['http_response_status_code', 'http_status_code', 'status_code', 'status', 'code']);
const RPC_STATUS = new Set(['rpc_response_status_code', 'rpc_grpc_status_code', 'grpc_status', 'grpc_code']);
const OTHER_OUTCOMES = new Set(['error_type', 'outcome', 'exception', 'error', 'db_response_status_code']);

export function isOutcome(attribute: string): boolean {
  const name = attribute.replaceAll('.', '_');
  return HTTP_STATUS.has(name) || RPC_STATUS.has(name) || OTHER_OUTCOMES.has(name);
}

/** Whether a server failed the requests that a point counts. What the client did wrong is no failure of the server. */
export function isFailedOutcome(attributes: Attributes): boolean {
  const outcomes = new Map(Object.entries(attributes).map(([key, value]) => [key.replaceAll('.', '_'), textOf(value)]));
  const [httpStatus, rpcStatus] = [HTTP_STATUS, RPC_STATUS].map((names) =>
    [...names].flatMap((name) => outcomes.get(name) ?? []).find((text) => text !== ''),
  );
  if (rpcStatus !== undefined) {
    return isFailedRpc(rpcStatus);
  }
  if (httpStatus !== undefined && /^[1-5](\d\d|xx)$/i.test(httpStatus)) {
    return httpStatus.startsWith('5');
  }
  return outcomes.get('outcome') === 'SERVER_ERROR' || (outcomes.get('error_type') ?? '') !== '';
}
