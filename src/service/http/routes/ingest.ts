import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { z } from 'zod';
import { AlertmanagerNotification, readAlerts } from '../../ingest/alertmanager.ts';
import { readCloudEvents } from '../../ingest/cloud-event.ts';
import { GenericEvent, GenericEvents, readGenericEvents } from '../../ingest/generic-event.ts';
import { failureAnswer, findEncoding } from '../../ingest/otlp-answer.ts';
import type { createOtlpHandler, IngestBatch } from '../../ingest/otlp-http.ts';
import type { ApiKeyStore } from '../../store/api-key-store.ts';
import type { IntegrationStore } from '../../store/integration-store.ts';
import { type ApiEnv, limitBody, refuseOtherMethods } from '../api-env.ts';
import { authenticateSender, demandScope } from '../auth.ts';
import { parseCloudEvents } from '../cloud-events-request.ts';
import { INGEST_PATHS } from '../ingest-paths.ts';
import { noteOutcome } from '../note-outcome.ts';
import { faultOf, STATUS_BY_CODE } from '../problem.ts';
import { checkBody, parseBody } from '../validate.ts';
import { createEnqueue } from './enqueue.ts';

/** A group of thousands of alerts comes in one piece. */
const MAX_NOTIFICATION_BYTES = 16 * 1024 * 1024;
const MAX_EVENTS_BYTES = 1024 * 1024;

const OTLP_KINDS = ['traces', 'metrics', 'logs'] as const;

export interface IngestRouteDeps {
  readonly keys: ApiKeyStore;
  readonly integrations: IntegrationStore;
  readonly receiveOtlp: ReturnType<typeof createOtlpHandler>;
  /** Resolves once the batch is durable. */
  readonly accept: (batch: IngestBatch) => Promise<void>;
  readonly logger: Logger;
  readonly now: () => Date;
}

export interface IngestGates {
  /** Sees every request. */
  readonly observe: MiddlewareHandler<ApiEnv>;
  /** Comes once the key is known. */
  readonly limit: MiddlewareHandler<ApiEnv>;
}

type Handler = (c: Context<ApiEnv>) => Promise<Response>;

/** Where signals come in. */
export function bindIngest(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates): void {
  const { receiveOtlp, accept, now } = deps;
  const otlp = new Hono<ApiEnv>();
  otlp.onError((error, c) => answerOtlpFault(error, c, deps.logger));
  for (const kind of OTLP_KINDS) {
    const take: Handler = (c) => receiveOtlp(c.req.raw, kind, (items) => c.set('items', items));
    bind(otlp, deps, gates, `/v1/${kind}`, take);
  }
  api.route('/', otlp);
  const take = (path: string, maxBytes: number, read: (c: Context<ApiEnv>) => Promise<IngestBatch>) =>
    bind(api, deps, gates, path, limitBody(maxBytes), async (c) => {
      const batch = await read(c);
      c.set('items', batch.signals.length);
      await accept(batch);
      return c.json({});
    });
  take(INGEST_PATHS.alertmanager, MAX_NOTIFICATION_BYTES, async (c) =>
    readAlerts(await parseBody(AlertmanagerNotification, c.req.raw)),
  );
  take(INGEST_PATHS.cloudevents, MAX_EVENTS_BYTES, async (c) =>
    readCloudEvents(await parseCloudEvents(c.req.raw), now()),
  );
  take(INGEST_PATHS.generic, MAX_EVENTS_BYTES, async (c) =>
    readGenericEvents(await parseGenericEvents(c.req.raw), now()),
  );
  api.route(INGEST_PATHS.pagerduty_events, createEnqueue(deps, gates));
  refuseOtherMethods(api, INGEST_PATHS.pagerduty_events, ['POST']);
}

/** OTLP wants `google.rpc.Status` in the encoding of the request, whatever is wrong. */
function answerOtlpFault(error: unknown, c: Context<ApiEnv>, logger: Logger): Response {
  const { code, detail = 'internal', headers } = faultOf(error, c.get('requestId'), logger);
  return failureAnswer(findEncoding(c.req.raw.headers) ?? 'json', STATUS_BY_CODE[code], detail, headers);
}

/** One event or a list of them. @throws {RequestError} */
async function parseGenericEvents(request: Request): Promise<GenericEvent[]> {
  const body = await parseBody(z.unknown(), request);
  return Array.isArray(body) ? checkBody(GenericEvents, body) : [checkBody(GenericEvent, body)];
}

/** @param handlers read and answer the body of a sender who may send */
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
  api.on('POST', path, gates.observe, noteOutcome(deps), admit, gates.limit, ...handlers);
  refuseOtherMethods(api, path, ['POST']);
}
