import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  type Attributes,
  context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SeverityNumber,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVER_ADDRESS,
  ATTR_URL_PATH,
  ATTR_URL_SCHEME,
} from '@opentelemetry/semantic-conventions';
import type { Json } from './http-client.ts';
import { ServiceError } from './service-error.ts';
import type { Telemetry } from './telemetry.ts';

/** @param signal aborted once the caller no longer waits */
export type Answer = (body: Json, signal: AbortSignal) => Promise<Json>;

export interface HttpServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** Refuses connections until `resume`, as if the process were gone. */
  stop(): void;
  resume(): void;
}

const propagator = new W3CTraceContextPropagator();

/**
 * An HTTP server on a free loopback port. It emits a server span and a duration for each request, and an error log for
 * each failure.
 *
 * @param routes handlers by method and path, such as `POST /charge`
 * @param telemetry null: it emits nothing
 */
export async function startHttpServer(
  routes: Readonly<Record<string, Answer>>,
  telemetry: Telemetry | null,
): Promise<HttpServer> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const answer = routes[`${request.method} ${path}`];
    if (answer === undefined) {
      sendJson(response, 404, { error: 'no such route' });
      return;
    }
    if (telemetry === null) {
      void respond(request, response, answer);
    } else {
      void handle(request, response, { path, answer, telemetry });
    }
  });
  // Longer than clients keep idle connections, so that no connection is closed during a request.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server on a port always has this type.
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    if (server.listening) {
      server.close();
      server.closeAllConnections();
    }
  };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    stop,
    resume() {
      if (!server.listening) {
        server.listen(port, '127.0.0.1');
      }
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) {
        const closed = once(server, 'close');
        stop();
        await closed;
      }
    },
  };
}

interface Matched {
  readonly path: string;
  readonly answer: Answer;
  readonly telemetry: Telemetry;
}

async function handle(request: IncomingMessage, response: ServerResponse, matched: Matched): Promise<void> {
  const { path, telemetry } = matched;
  const startedMs = performance.now();
  const method = request.method ?? 'GET';
  const common = { [ATTR_HTTP_REQUEST_METHOD]: method, [ATTR_HTTP_ROUTE]: path, [ATTR_URL_SCHEME]: 'http' };
  const caller = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
  const span = telemetry.tracer.startSpan(
    `${method} ${path}`,
    { kind: SpanKind.SERVER, attributes: { ...common, [ATTR_URL_PATH]: path, [ATTR_SERVER_ADDRESS]: '127.0.0.1' } },
    caller,
  );
  const outcome = await context.with(trace.setSpan(caller, span), () => run(request, response, matched, span));
  span.setAttributes(outcome);
  span.end();
  telemetry.requestDuration.record((performance.now() - startedMs) / 1000, { ...common, ...outcome });
}

/** Handles a request. @returns the attributes of the outcome */
async function run(
  request: IncomingMessage,
  response: ServerResponse,
  { path, answer, telemetry }: Matched,
  span: Span,
): Promise<Attributes> {
  const { status, error } = await respond(request, response, answer);
  if (error === null) {
    return { [ATTR_HTTP_RESPONSE_STATUS_CODE]: status };
  }
  span.recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
  telemetry.logger.emit({
    severityNumber: SeverityNumber.ERROR,
    severityText: 'ERROR',
    body: `${request.method} ${path} failed: ${error.message}`,
    exception: error,
  });
  return { [ATTR_HTTP_RESPONSE_STATUS_CODE]: status, [ATTR_ERROR_TYPE]: error.name };
}

interface Outcome {
  readonly status: number;
  readonly error: Error | null;
}

async function respond(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<Outcome> {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) {
      gone.abort();
    }
  });
  try {
    const body = request.method === 'POST' ? await json(request) : {};
    // All callers use the shop's own client, which sends objects.
    sendJson(response, 200, await answer(body as Json, gone.signal));
    return { status: 200, error: null };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const status = error instanceof ServiceError ? error.status : 500;
    sendJson(response, status, { error: error.message });
    return { status, error };
  }
}

function sendJson(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
