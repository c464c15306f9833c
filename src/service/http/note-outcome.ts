import type { MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import type { ApiKey } from '../core/api-key.ts';
import type { IntegrationStore } from '../store/integration-store.ts';
import type { ApiEnv } from './api-env.ts';
import { RequestError } from './problem.ts';

interface Deps {
  readonly integrations: IntegrationStore;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** What a sender has to change; anything else that goes wrong is no fault of the integration. */
const REFUSALS: readonly number[] = [400, 413, 415, 422];

/** Notes at the integration whose key was used how it went, without anything of what was sent. */
export function noteOutcome({ integrations, logger, now }: Deps): MiddlewareHandler<ApiEnv> {
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
