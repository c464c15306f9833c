import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import type { ApiKey } from '../../core/api-key.ts';
import { AlertmanagerNotification, readAlerts } from '../../ingest/alertmanager.ts';
import type { createOtlpHandler, IngestBatch } from '../../ingest/otlp-http.ts';
import type { ApiKeyStore } from '../../store/api-key-store.ts';
import type { IntegrationStore } from '../../store/integration-store.ts';
import { type ApiEnv, limitBody, refuseOtherMethods } from '../api-env.ts';
import { authenticateSender, demandScope } from '../auth.ts';
import { INGEST_PATHS } from '../ingest-paths.ts';
import { RequestError } from '../problem.ts';
import { parseBody } from '../validate.ts';

/** A group of thousands of alerts comes in one piece. */
const MAX_NOTIFICATION_BYTES = 16 * 1024 * 1024;

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

type Handler = (c: Context<ApiEnv>) => Promise<Response>;

/** Where signals come in. */
export function bindIngest(api: Hono<ApiEnv>, deps: IngestRouteDeps): void {
  const { receiveOtlp, accept } = deps;
  for (const kind of OTLP_KINDS) {
    bind(api, deps, `/v1/${kind}`, (c) => receiveOtlp(c.req.raw, kind));
  }
  const take = (path: string, maxBytes: number, read: (c: Context<ApiEnv>) => Promise<IngestBatch>) =>
    bind(api, deps, path, limitBody(maxBytes), async (c) => {
      await accept(await read(c));
      return c.json({});
    });
  take(INGEST_PATHS.alertmanager, MAX_NOTIFICATION_BYTES, async (c) =>
    readAlerts(await parseBody(AlertmanagerNotification, c.req.raw)),
  );
}

/** @param handlers read and answer the body of a sender who may send */
function bind(api: Hono<ApiEnv>, deps: IngestRouteDeps, path: string, ...handlers: [...MiddlewareHandler[], Handler]) {
  const admit: MiddlewareHandler<ApiEnv> = async (c, next) => {
    const key = await authenticateSender(c.req.raw, deps.keys, deps.now());
    demandScope(key, 'ingest');
    c.set('key', key);
    await next();
  };
  api.on('POST', path, noteOutcome(deps), admit, ...handlers);
  refuseOtherMethods(api, path, ['POST']);
}

/** What a sender has to change; anything else that goes wrong is no fault of the integration. */
const REFUSALS: readonly number[] = [400, 413, 415, 422];

/** Tells the integration whose key was used how it went: where, not with what. */
function noteOutcome({ integrations, logger, now }: IngestRouteDeps): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    await next();
    const key: ApiKey | undefined = c.get('key'); // none, where the sender was not let in
    const integrationId = key?.integrationId ?? null;
    const isRefused = REFUSALS.includes(c.res.status);
    if (integrationId === null || !(c.res.ok || isRefused)) {
      return;
    }
    const fault = isRefused ? describeRefusal(c.res.status, c.error) : null;
    await integrations.noteUse(integrationId, fault, now()).catch((err: unknown) => {
      logger.warn({ err, integrationId }, 'the use of an integration could not be noted');
    });
  };
}

/** Deeper than its first part a pointer may hold names that the sender chose. */
function describeRefusal(status: number, error: Error | undefined): string {
  if (!(error instanceof RequestError)) {
    return `what was sent was refused with ${status}`;
  }
  const [fault] = error.errors ?? [];
  const place = /^\/[^/]+/.exec(fault?.pointer ?? '')?.[0];
  return `${error.code}: ${place === undefined ? '' : `${place} `}${fault?.detail ?? error.message}`;
}
