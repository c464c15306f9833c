import type { Context, Hono } from 'hono';
import { INGEST_PATHS, Mapping } from '../../../contract/integrations.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import { MAX_MAPPED_EVENTS } from '../../ingest/mapping/mapping.ts';
import { MappingPausedError, MappingTooCostlyError } from '../../ingest/mapping/mapping-runner.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { decodeJsonOrFields, receiveJson } from '../ingest-body.ts';
import { admitSender, type IngestGates, type IngestRouteDeps } from '../ingest-gates.ts';
import { keepPayload, type MappedRequest, type TakeMapped } from '../mapped-intake.ts';
import { RequestError } from '../problem.ts';
import { answerDone } from '../unkept-notes.ts';
import { invalidBody } from '../validate.ts';

/** Any JSON, or a form. The integration's mapping says what it means. */
export function bindJson(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates, take: TakeMapped): void {
  const { bodies } = deps;

  api.on('POST', [INGEST_PATHS.json], ...admitSender(deps, gates), async (c) => {
    const { headers } = c.req.raw;
    const limits = { sender: c.get('key').id, maxBytes: INGEST_LIMITS.mappedBytes };
    const body = await receiveJson(
      bodies,
      c.req.raw,
      limits,
      decodeJsonOrFields(headers, (value) => value),
    );
    await receiveMapped(c, body, deps, take);
    return answerDone(c);
  });
  refuseOtherMethods(api, INGEST_PATHS.json, ['POST']);
}

/** @param body an event, or a list of them, from the integration of the request's key. @throws {RequestError} */
export async function receiveMapped(
  c: Context<ApiEnv>,
  body: unknown,
  deps: Pick<IngestRouteDeps, 'integrations' | 'mappings'>,
  take: TakeMapped,
): Promise<void> {
  const events = Array.isArray(body) ? body : [body];
  if (events.length > MAX_MAPPED_EVENTS) {
    throw invalidBody([{ pointer: '', detail: `must have at most ${MAX_MAPPED_EVENTS} events` }]);
  }
  keepPayload(c, body); // what is refused from here on may need another mapping
  await take(c, await map(c, events, deps));
}

/** @throws {RequestError} */
async function map(
  c: Context<ApiEnv>,
  events: readonly unknown[],
  { integrations, mappings }: Pick<IngestRouteDeps, 'integrations' | 'mappings'>,
): Promise<MappedRequest> {
  const { integrationId } = c.get('key');
  const integration = integrationId === null ? null : await integrations.find(integrationId);
  const { data: mapping } = Mapping.safeParse(integration?.config.mapping);
  if (integration?.type !== 'json' || mapping === undefined) {
    const detail = 'has no mapping yet: create one at the integration (type json) whose key you use';
    throw invalidBody([{ pointer: '', detail }]);
  }
  const mapped = await mappings.run(mapping, events).catch((error: unknown) => {
    throw refusalOf(error);
  });
  const bodies = events.map((body, at) => ({ body, events: mapped[at] ?? [] }));
  return { type: 'json', mapping, integration, bodies };
}

/** Events that were not tried may be sent again. */
function refusalOf(error: unknown): unknown {
  if (error instanceof MappingPausedError) {
    const headers = { 'retry-after': String(error.retryAfterSeconds) };
    return new RequestError('mapping-paused', error.message, { headers });
  }
  return error instanceof MappingTooCostlyError ? invalidBody([{ pointer: '', detail: error.message }]) : error;
}
