import { setTimeout as delay } from 'node:timers/promises';
import { context, defaultTextMapSetter, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_FULL,
} from '@opentelemetry/semantic-conventions';
import { ServiceError } from './service-error.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface OutgoingCall {
  /** The called service and its address. */
  readonly peer: string;
  readonly baseUrl: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Body of a POST, sent as JSON. */
  readonly body: Json;
  readonly timeoutMs: number;
  /** How much longer the request is on its way, in milliseconds. */
  readonly networkMs: number;
}

const propagator = new W3CTraceContextPropagator();

/**
 * Makes an HTTP call to another service in a client span, and propagates the trace in the headers.
 *
 * @throws ServiceError on a timeout (504), without a connection (503), or on a response other than 2xx (502)
 */
export function callService(tracer: Tracer, call: OutgoingCall): Promise<Json> {
  const url = new URL(call.path, call.baseUrl);
  const span = tracer.startSpan(call.method, {
    kind: SpanKind.CLIENT,
    attributes: {
      [ATTR_HTTP_REQUEST_METHOD]: call.method,
      [ATTR_SERVER_ADDRESS]: url.hostname,
      [ATTR_SERVER_PORT]: Number(url.port),
      [ATTR_URL_FULL]: url.href,
      'peer.service': call.peer,
    },
  });
  return context.with(trace.setSpan(context.active(), span), async () => {
    try {
      const response = await send(url, call);
      span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, response.status);
      // Always read, because an unread body holds its connection.
      const text = await response.text();
      if (!response.ok) {
        throw new ServiceError(String(response.status), 502, `${call.peer} answered ${response.status}`);
      }
      return JSON.parse(text);
    } catch (cause) {
      const error = asServiceError(cause, call);
      span.recordException(error);
      span.setAttribute(ATTR_ERROR_TYPE, error.name);
      span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
      throw error;
    } finally {
      span.end();
    }
  });
}

async function send(url: URL, call: OutgoingCall): Promise<Response> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  propagator.inject(context.active(), headers, defaultTextMapSetter);
  const signal = AbortSignal.timeout(call.timeoutMs);
  await delay(call.networkMs);
  return fetch(url, {
    method: call.method,
    headers,
    body: call.method === 'POST' ? JSON.stringify(call.body) : null,
    signal,
  });
}

function asServiceError(cause: unknown, { peer, timeoutMs }: OutgoingCall): ServiceError {
  if (cause instanceof ServiceError) {
    return cause;
  }
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    return new ServiceError('timeout', 504, `${peer} did not answer within ${timeoutMs} ms`, { cause });
  }
  return new ServiceError('unreachable', 503, `${peer} cannot be reached`, { cause });
}
