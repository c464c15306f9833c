import type { Attributes } from './telemetry.ts';
import { textOf } from './text.ts';

/** Statuses of gRPC by number. */
const NAMES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/** Errors of the server, as OpenTelemetry's conventions say. */
const FAILED = new Set(['UNKNOWN', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS']);
const OVERLOADED = 'RESOURCE_EXHAUSTED';

/** Whether the server failed, by the name or the number of the status. */
export function isFailedRpc(status: string): boolean {
  return FAILED.has(nameOf(status));
}

/** Whether the server answered that it does not want to, or was told to stop. The client counts that as its error. */
export function isRejectedRpc(status: string): boolean {
  const name = nameOf(status);
  return NAMES.includes(name) && name !== 'OK' && name !== OVERLOADED && !FAILED.has(name);
}

/** Whether nothing had been answered, or not all of it, by the deadline of the client. */
export function isExpiredRpc(status: string): boolean {
  return nameOf(status) === 'DEADLINE_EXCEEDED';
}

/** Whether the caller did not wait any more. */
export function isCancelledRpc(status: string): boolean {
  return nameOf(status) === 'CANCELLED';
}

/** Whether the server answered that it has too much to do. */
export function isOverloadedRpc(status: string): boolean {
  return nameOf(status) === OVERLOADED;
}

/** The status of a span, by the conventions of today, those before, Envoy's and those of Connect; empty: it is no call of gRPC. */
export function rpcStatus(attributes: Attributes): string {
  return textOf(
    attributes['rpc.response.status_code'] ??
      attributes['rpc.grpc.status_code'] ??
      attributes['grpc.status_code'] ??
      attributes['rpc.connect_rpc.error_code'],
  );
}

function nameOf(status: string): string {
  return NAMES[/^\d+$/.test(status) ? Number(status) : -1] ?? status.toUpperCase().replace('CANCELED', 'CANCELLED');
}
