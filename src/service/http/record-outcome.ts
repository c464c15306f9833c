import type { Context, MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import type { ApiKey } from '../core/api-key.ts';
import { maskPayload } from '../core/mask-payload.ts';
import type { Unkept } from '../core/unkept.ts';
import { type BodyStarts, startOf } from '../ingest/body-starts.ts';
import type { IntegrationStore } from '../store/integrations/integration-store.ts';
import type { RefusedPayloadStore } from '../store/integrations/refused-payload-store.ts';
import type { ApiEnv } from './api-env.ts';
import { RequestError } from './problem.ts';
import { PartlyRefusedError } from './take-entries.ts';

/** Reports what was not kept at the integration. @param of.example without secrets; null: it cannot be shown */
type ReportUnkept = (
  integrationId: string,
  of: Omit<Unkept, 'example'> & { readonly example: string | null },
  now: Date,
) => Promise<void>;

export interface OutcomeDeps {
  readonly reportUnkept: ReportUnkept;
  readonly integrations: IntegrationStore;
  readonly refusedPayloads: RefusedPayloadStore;
  readonly bodyStarts: BodyStarts;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Statuses of errors that the sender must fix. Other errors do not count against the integration. */
const SENDER_ERRORS: readonly number[] = [400, 413, 415, 422];

/** Records the outcome of a request at the integration of its key, and the masked beginning of a refused body. */
export function recordOutcome(deps: OutcomeDeps): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    await next();
    await noteOutcome(c, { status: c.res.status, error: c.error }, deps);
  };
}

/** See `recordOutcome`. @param outcome of a request that is answered by what this is called from */
export async function noteOutcome(
  c: Context<ApiEnv>,
  { status, error }: { readonly status: number; readonly error?: Error | undefined },
  deps: OutcomeDeps,
): Promise<void> {
  const { integrations, logger, now } = deps;
  const key: ApiKey | undefined = c.get('key'); // absent when the sender was not authenticated
  const integrationId = key?.integrationId ?? null;
  const isRefused = SENDER_ERRORS.includes(status) || isMappingPaused(error);
  if (integrationId === null || !(isRefused || (status >= 200 && status < 300))) {
    return;
  }
  const fault = isRefused ? describeRefusal(status, error) : null;
  try {
    for (const { example = null, ...unkept } of c.get('unkept') ?? []) {
      await deps.reportUnkept(integrationId, { ...unkept, example: maskedText(example) }, now());
    }
    await integrations.recordUse(integrationId, fault, now());
    const payload = c.get('payload');
    if (payload !== undefined) {
      await deps.refusedPayloads.add(integrationId, { at: now(), fault, ...payload });
    } else if (fault !== null) {
      const at = now();
      await deps.refusedPayloads.add(integrationId, { at, fault, text: refusedText(c.req.raw, error, deps) });
    }
  } catch (err) {
    logger.warn({ err, integrationId }, 'the use of an integration could not be recorded');
  }
}

/** The mapping is at fault, although the sender may send again. */
function isMappingPaused(error: Error | undefined): boolean {
  return error instanceof RequestError && error.code === 'mapping-paused';
}

/** The beginning of what was refused: of the body, or of its invalid entries. */
function refusedText(request: Request, error: Error | undefined, { bodyStarts }: OutcomeDeps): string | null {
  const entries = error instanceof PartlyRefusedError ? error.entries : null;
  if (entries !== null) {
    return maskedText(entries);
  }
  const start = bodyStarts.of(request);
  return start === null ? null : maskPayload(start.bytes, start.isCut);
}

/** The masked beginning of what was parsed; null of null. */
function maskedText(parsed: unknown): string | null {
  if (parsed === null) {
    return null;
  }
  const { bytes, isCut } = startOf(Buffer.from(JSON.stringify(parsed, withoutBigInts)));
  return maskPayload(bytes, isCut);
}

function withoutBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** Only the first part of a pointer is shown, because deeper parts may contain names from the sender. */
function describeRefusal(status: number, error: Error | undefined): string {
  if (!(error instanceof RequestError)) {
    return `what was sent was refused with ${status}`;
  }
  const [fault] = error.errors ?? [];
  const place = /^\/[^/]+/.exec(fault?.pointer ?? '')?.[0];
  const extent = error instanceof PartlyRefusedError ? `${error.extent}: ` : '';
  return `${error.code}: ${extent}${place === undefined ? '' : `${place} `}${fault?.detail ?? error.message}`;
}
