import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { ApiKey } from '../../core/api-key.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import type { ApiEnv } from '../api-env.ts';
import { authenticateRawKey, demandScope } from '../auth.ts';
import { receiveJson } from '../ingest-body.ts';
import type { IngestGates, IngestRouteDeps } from '../ingest-gates.ts';
import { RequestError } from '../problem.ts';
import { recordOutcome } from '../record-outcome.ts';

/** Where SDKs send by a DSN (develop.sentry.dev, "Envelopes"), the second before envelopes. */
const ADDRESSES = ['/api/:project/envelope/', '/api/:project/store/'];

const WHAT_TO_DO =
  "this is what an SDK of Sentry sends, and only Sentry reads it: leave the SDK's DSN as it was and let Sentry send webhooks to an integration of type sentry, or send errors by OpenTelemetry";

/**
 * Events of Sentry's SDKs are for Sentry, which groups them and tells of them by webhooks. SDKs do not tell of a refusal, so it
 * is kept at the integration whose key the DSN has.
 */
export function bindSentrySdk(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates): void {
  const admit: MiddlewareHandler<ApiEnv> = async (c, next) => {
    c.set('key', await authenticateDsn(c, deps));
    await next();
  };
  api.on('POST', ADDRESSES, gates.observe, recordOutcome(deps), admit, gates.limit, async (c) => {
    const request = c.req.raw;
    const isGzip = request.headers.get('content-encoding') === 'gzip';
    const limits = { sender: c.get('key').id, maxBytes: INGEST_LIMITS.eventsBytes, isGzip };
    return receiveJson<never>(deps.bodies, request, limits, refuse);
  });
}

function* refuse(): Generator<void, never> {
  yield;
  throw new RequestError('unsupported-media-type', WHAT_TO_DO);
}

/** @throws {RequestError} what to do, also without a working key */
async function authenticateDsn(c: Context<ApiEnv>, { keys, now }: IngestRouteDeps): Promise<ApiKey> {
  const inHeader = /\bsentry_key=(\w+)/.exec(c.req.header('x-sentry-auth') ?? '')?.[1];
  const rawKey = c.req.query('sentry_key') ?? inHeader ?? null;
  const key = await authenticateRawKey(rawKey, keys(c.env?.address), now()).catch((error: unknown) => {
    const isUnknown = error instanceof RequestError && error.code === 'unauthorized';
    throw isUnknown ? new RequestError('unauthorized', WHAT_TO_DO, { headers: error.headers }) : error;
  });
  demandScope(key, 'ingest');
  return key;
}
