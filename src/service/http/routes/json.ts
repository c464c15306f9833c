import { secondsToMilliseconds } from 'date-fns/secondsToMilliseconds';
import type { Context, Hono } from 'hono';
import { LRUCache } from 'lru-cache';
import { INGEST_PATHS, Mapping } from '../../../contract/integrations.ts';
import { atMost } from '../../../runtime/cache-limit.ts';
import { senderOf } from '../../core/api-key.ts';
import { maskJson } from '../../core/mask-json.ts';
import type { SignalBatch } from '../../core/signal.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import { readMappedEvent } from '../../ingest/mapped-event.ts';
import type { Mapped } from '../../ingest/mapping.ts';
import { MappingPausedError, MappingTooCostlyError } from '../../ingest/mapping-runner.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { decodeJsonBy, receiveJson } from '../ingest-body.ts';
import { acceptReceived, admitSender, type IngestGates, type IngestRouteDeps } from '../ingest-gates.ts';
import { RequestError } from '../problem.ts';
import { PartlyRefusedError, type Received } from '../take-entries.ts';
import { invalidBody } from '../validate.ts';

/** Events in a request that is a list. */
export const MAX_MAPPED_EVENTS = 100;

/** Characters of a payload that are kept for its mapping; a longer one is not kept. */
const KEPT_CHARACTERS = 16_000;
/** Minimum time between two stored payloads of an integration that were accepted. */
const KEPT_EACH_MS = secondsToMilliseconds(60);

/** Any JSON. The integration's mapping says what it means. */
export function bindJson(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates): void {
  const { bodies, accept, now } = deps;
  const keptLately = new LRUCache<string, true>({ ...atMost(10_000), ttl: KEPT_EACH_MS });

  api.on('POST', [INGEST_PATHS.json], ...admitSender(deps, gates), async (c) => {
    const { headers } = c.req.raw;
    const limits = { sender: c.get('key').id, maxBytes: INGEST_LIMITS.mappedBytes };
    const body = await receiveJson(
      bodies,
      c.req.raw,
      limits,
      decodeJsonBy(headers, (value) => value),
    );
    const sender = senderOf(c.get('key'));
    const events = Array.isArray(body) ? body : [body];
    if (events.length > MAX_MAPPED_EVENTS) {
      throw invalidBody([{ pointer: '', detail: `must have at most ${MAX_MAPPED_EVENTS} events` }]);
    }
    keepPayload(c, body); // what is refused from here on may need another mapping
    const received = await readEvents(c, events, deps);
    if (received.refusal) {
      keepPayload(c, received.refusal.entries);
    } else if (keptLately.has(sender)) {
      c.set('payload', undefined);
    }
    keptLately.set(sender, true, { ttl: keptLately.getRemainingTTL(sender) || KEPT_EACH_MS });
    await acceptReceived(c, received, accept);
    return c.json({});
  });
  refuseOtherMethods(api, INGEST_PATHS.json, ['POST']);

  async function readEvents(
    c: Context<ApiEnv>,
    events: readonly unknown[],
    { integrations, mappings }: IngestRouteDeps,
  ): Promise<Received> {
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
    const faults = events.flatMap((_, at) => faultOf(mapped[at], events.length > 1 ? `/${at}` : ''));
    if (events.length > 0 && faults.length === events.length) {
      throw invalidBody(faults);
    }
    const sender = senderOf(c.get('key'));
    const isRefused = (at: number) => faults.some(({ pointer }) => pointer === `/${at}`);
    const batches = mapped.flatMap((each, at) =>
      isRefused(at) ? [] : [readMappedEvent(each, events[at], sender, now())],
    );
    const refused = events.filter((_, at) => isRefused(at));
    return {
      ...merge(batches),
      refusal: refused.length === 0 ? null : new PartlyRefusedError(faults, refused, events.length),
    };
  }
}

/** Events that were not tried may be sent again. */
function refusalOf(error: unknown): unknown {
  if (error instanceof MappingPausedError) {
    const headers = { 'retry-after': String(error.retryAfterSeconds) };
    return new RequestError('mapping-paused', error.message, { headers });
  }
  return error instanceof MappingTooCostlyError ? invalidBody([{ pointer: '', detail: error.message }]) : error;
}

function faultOf(mapped: Mapped | undefined, pointer: string) {
  const detail = 'the mapping finds no title here: change it at the integration';
  return mapped?.title == null ? [{ pointer, detail }] : [];
}

function keepPayload(c: Context<ApiEnv>, body: unknown): void {
  const text = JSON.stringify(maskJson(body), null, 2);
  if (text.length <= KEPT_CHARACTERS) {
    c.set('payload', text);
  }
}

function merge(batches: readonly SignalBatch[]): SignalBatch {
  return { signals: batches.flatMap(({ signals }) => signals), ends: batches.flatMap(({ ends = [] }) => ends) };
}
