import { isCancelled } from './cancellation.ts';
import { seenOnce } from './fold.ts';
import { peerService } from './peer.ts';
import { isCancelledRpc, isExpiredRpc, isFailedRpc, isOverloadedRpc, isRejectedRpc, rpcStatus } from './rpc-status.ts';
import type { ObservedSignal } from './signal.ts';
import { otlpSource } from './signal-source.ts';
import { observedAt, type Span } from './telemetry.ts';
import { fingerprint, keepable, oneLine, TEXT_LIMITS, template, textOf } from './text.ts';

/**
 * A span failed when its status is an error, or when it has an exception or a 5xx and its status is unset: by the
 * conventions a 5xx and its like in gRPC are errors, and proxies and older instrumentations do not set it. Duration and a
 * 4xx status alone do not count.
 */
function isFailed(span: Span): boolean {
  return span.status === 'error' || (span.status === 'unset' && (span.exception !== null || isServerError(span)));
}

function isServerError(span: Span): boolean {
  return (httpStatus(span) ?? 0) >= 500 || isFailedRpc(rpcStatus(span.attributes));
}

/** Answers that say that the callee could not, though their numbers blame the caller: it was too slow, or overloaded. */
const OVERLOADED: ReadonlySet<number | null> = new Set([408, 429]);

/**
 * Whether a call was answered well, but with a 4xx or its like in gRPC, or that a server answered so: by the conventions
 * such a client span has the status of an error. A server that has too much to do rejects a request as well.
 */
export function isRejected(span: Span): boolean {
  if (!isClientError(span) && !isOverloaded(span)) {
    return false;
  }
  return span.kind === 'server' ? !isFailed(span) : span.kind === 'client' && !isOverloaded(span);
}

function isOverloaded(span: Span): boolean {
  return OVERLOADED.has(httpStatus(span)) || isOverloadedRpc(rpcStatus(span.attributes));
}

function isClientError(span: Span): boolean {
  const status = httpStatus(span) ?? 0;
  return (status >= 400 && status < 500) || isRejectedRpc(rpcStatus(span.attributes));
}

/**
 * Whether nobody waited for the answer any more, which tells nothing about the callee, also where a server of gRPC calls it an
 * error, as those of Node and Python do.
 */
export function isAbandoned(span: Span): boolean {
  if (isExpiredStream(span) || isCancelledRpc(rpcStatus(span.attributes)) || httpStatus(span) === CLIENT_LEFT) {
    return true;
  }
  const isTold = isClientError(span) || isOverloaded(span) || isServerError(span);
  return (span.status === 'error' || span.exception !== null) && !isTold && isCancelled(span);
}

/** What nginx and its like say instead of an answer. */
const CLIENT_LEFT = 499;

/**
 * Whether neither a status nor a response tells how a span ended. Instrumentation of servers and clients sets one of them; load
 * generators, browsers and scripts often set none.
 */
export function isUntold(span: Span): boolean {
  return (
    span.status === 'unset' && span.exception === null && httpStatus(span) === null && rpcStatus(span.attributes) === ''
  );
}

/** Nobody waits so long for an answer. */
const STREAM_MS = 5 * 60_000;

/** A stream that its own deadline ended: its caller opens the next one, as it does all day. */
function isExpiredStream(span: Span): boolean {
  return isExpiredRpc(rpcStatus(span.attributes)) && durationMs(span) >= STREAM_MS;
}

/** @returns null: the span did not fail */
export function judgeSpan(span: Span, now: Date): ObservedSignal | null {
  if (!isFailed(span)) {
    return null;
  }
  const { service } = span.resource;
  const operation = nameOperation(span);
  const reason = findReason(span);
  return {
    type: 'trace',
    service,
    summary: oneLine(`${operation} fails${reason === '' ? '' : ` (${oneLine(reason, 120)})`}`, TEXT_LIMITS.summary),
    severity: 'error',
    ...seenOnce(observedAt(span.endNanos, now)),
    fingerprint: fingerprint('trace', service, span.kind, template(operation), errorType(span), template(reason)),
    traceId: span.traceId,
    spanId: span.spanId,
    attributes: keepable({ ...span.attributes, ...span.exception, 'span.name': span.name, 'span.kind': span.kind }),
    source: otlpSource(span.resource),
    detail: { type: 'trace', durationMs: durationMs(span), status: span.status },
  };
}

/** `POST /charge`. Outgoing calls get their target too, because the name is often just the method. */
export function nameOperation(span: Span): string {
  const name = span.name.trim() === '' ? 'an unnamed operation' : span.name;
  const target = span.kind === 'client' || span.kind === 'producer' ? nameTarget(span) : '';
  return target === '' || name.includes(target) ? name : `${name} to ${target}`;
}

function nameTarget({ attributes }: Span): string {
  const peer = peerService(attributes);
  if (peer !== '') {
    return peer;
  }
  const address = textOf(attributes['server.address']);
  const port = textOf(attributes['server.port']);
  return address === '' || port === '' ? address : `${address}:${port}`;
}

/** The HTTP status of the response; null without a response, of which browsers tell 0, or when the call was not HTTP. */
function httpStatus({ attributes }: Span): number | null {
  const status = Number(attributes['http.response.status_code'] ?? attributes['http.status_code'] ?? Number.NaN);
  return Number.isInteger(status) && status > 0 ? status : null;
}

function errorType(span: Span): string {
  return textOf(span.exception?.['exception.type'] ?? span.attributes['error.type']);
}

function findReason(span: Span): string {
  const message = textOf(span.exception?.['exception.message']).trim() || span.statusMessage.trim();
  const status = httpStatus(span);
  return message || (status === null ? errorType(span) : `HTTP ${status}`);
}

function durationMs({ startNanos, endNanos }: Span): number {
  return endNanos > startNanos ? Number((endNanos - startNanos) / 1_000n) / 1_000 : 0;
}
