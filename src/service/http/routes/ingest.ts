import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { INGEST_PATHS } from '../../../contract/requests.ts';
import { senderOf } from '../../core/api-key.ts';
import type { SignalBatch } from '../../core/signal.ts';
import type { IncomingBodies } from '../../ingest/incoming-bodies.ts';
import type { createOtlpHandler } from '../../ingest/otlp-http.ts';
import { failureResponse, findEncoding, TELEMETRY_KINDS } from '../../ingest/otlp-response.ts';
import type { ApiKeyStore } from '../../store/api-key-store.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { authenticateSender, demandScope } from '../auth.ts';
import { receiveJson } from '../ingest-body.ts';
import { INGEST_FORMATS } from '../ingest-formats.ts';
import { faultOf, STATUS_BY_CODE } from '../problem.ts';
import { type OutcomeDeps, recordOutcome } from '../record-outcome.ts';
import { createEnqueue } from './enqueue.ts';

export interface IngestRouteDeps extends OutcomeDeps {
  readonly keys: ApiKeyStore;
  readonly bodies: IncomingBodies;
  readonly receiveOtlp: ReturnType<typeof createOtlpHandler>;
  /** Resolves once the batch is durable. */
  readonly accept: (batch: SignalBatch) => Promise<void>;
}

export interface IngestGates {
  /** Runs for every request. */
  readonly observe: MiddlewareHandler<ApiEnv>;
  /** Runs after authentication. */
  readonly limit: MiddlewareHandler<ApiEnv>;
}

type Handler = (c: Context<ApiEnv>) => Promise<Response>;

/** The routes that receive signals. */
export function bindIngest(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates): void {
  const otlp = new Hono<ApiEnv>();
  otlp.onError((error, c) => otlpErrorResponse(error, c, deps.logger));
  for (const kind of TELEMETRY_KINDS) {
    bind(otlp, deps, gates, `/v1/${kind}`, (c) => {
      const caller = { sender: c.get('key').id, onItems: (items: number) => c.set('items', items) };
      return deps.receiveOtlp(c.req.raw, kind, caller);
    });
  }
  api.route('/', otlp);
  for (const [type, { maxBytes, decode }] of Object.entries(INGEST_FORMATS)) {
    const path = INGEST_PATHS[type as keyof typeof INGEST_FORMATS]; // what Object.entries gives
    bind(api, deps, gates, path, async (c) => {
      const request = c.req.raw;
      const limits = { sender: c.get('key').id, maxBytes };
      const batch = await receiveJson(deps.bodies, request, limits, decode(request.headers, deps.now()));
      c.set('items', batch.signals.length);
      await deps.accept({ ...batch, sender: senderOf(c.get('key')) });
      return c.json({});
    });
  }
  api.route(INGEST_PATHS.pagerduty_events, createEnqueue(deps, gates));
  refuseOtherMethods(api, INGEST_PATHS.pagerduty_events, ['POST']);
}

/** OTLP requires `google.rpc.Status` in the encoding of the request for every error. */
function otlpErrorResponse(error: unknown, c: Context<ApiEnv>, logger: Logger): Response {
  const { code, detail = 'internal', headers } = faultOf(error, c.get('requestId'), logger);
  return failureResponse(findEncoding(c.req.raw.headers) ?? 'json', STATUS_BY_CODE[code], detail, headers);
}

/** @param handlers run for authenticated senders */
function bind(
  api: Hono<ApiEnv>,
  deps: IngestRouteDeps,
  gates: IngestGates,
  path: string,
  ...handlers: [...MiddlewareHandler[], Handler]
): void {
  const admit: MiddlewareHandler<ApiEnv> = async (c, next) => {
    const key = await authenticateSender(c.req.raw, deps.keys, deps.now());
    demandScope(key, 'ingest');
    c.set('key', key);
    await next();
  };
  api.on('POST', path, gates.observe, recordOutcome(deps), admit, gates.limit, ...handlers);
  refuseOtherMethods(api, path, ['POST']);
}
