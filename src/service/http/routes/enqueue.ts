import { Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { INGEST_PATHS } from '../../../contract/integrations.ts';
import { type ApiKey, senderOf } from '../../core/api-key.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import { dedupKeyOf, PagerDutyEvent, pagerDutyFingerprint, readPagerDutyEvent } from '../../ingest/pagerduty-event.ts';
import { PagerDutyV1Event, toVersion2 } from '../../ingest/pagerduty-v1.ts';
import { type ApplyAlertAction, actorAt, createAlertActions } from '../alert-actions.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { authenticateRawKey, demandScope } from '../auth.ts';
import { decodeJson, receiveJson } from '../ingest-body.ts';
import type { IngestGates, IngestRouteDeps } from '../ingest-gates.ts';
import { problemResponse, RequestError } from '../problem.ts';
import { recordOutcome } from '../record-outcome.ts';
import { checkBody } from '../validate.ts';

/** All senders share the memory limit of one, because the sender is known only after the event has been read. */
const READING = { sender: 'PagerDuty events', maxBytes: INGEST_LIMITS.pagerDutyBytes };

/** One version of the Events API: where the key and the event are, and what the answer calls the key of the alert. */
interface EventsApi {
  readonly path: string;
  readonly keyField: string;
  readonly status: 200 | 202;
  readonly dedupField: string;
  /** @throws {RequestError} */
  readonly check: (body: unknown) => PagerDutyEvent;
}

const EVENTS_APIS: readonly EventsApi[] = [
  {
    path: INGEST_PATHS.pagerduty_events,
    keyField: 'routing_key',
    status: 202,
    dedupField: 'dedup_key',
    check: (body) => checkBody(PagerDutyEvent, body),
  },
  {
    path: '/generic/2010-04-15/create_event.json',
    keyField: 'service_key',
    status: 200,
    dedupField: 'incident_key',
    check: (body) => toVersion2(checkBody(PagerDutyV1Event, body)),
  },
];

/** PagerDuty answers 400 to all errors. These say more, and senders treat them the same. */
const STATUS_BY_CODE: Readonly<Partial<Record<RequestError['code'], 403 | 413 | 429>>> = {
  'insufficient-scope': 403,
  'body-too-large': 413,
  'rate-limited': 429,
};

interface EnqueueEnv {
  Variables: ApiEnv['Variables'] & { /** Without its key. */ body: object };
}

/** PagerDuty's Events API, versions 2 and 1. The key of an event is an ingest key. */
export function bindEnqueue(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates): void {
  const act = createAlertActions(deps);
  for (const version of EVENTS_APIS) {
    api.route(version.path, createEnqueue(version, act, deps, gates));
    refuseOtherMethods(api, version.path, ['POST']);
  }
}

function createEnqueue(
  { keyField, status, dedupField, check }: EventsApi,
  act: ApplyAlertAction,
  deps: IngestRouteDeps,
  gates: IngestGates,
): Hono<EnqueueEnv> {
  const { keys, bodies, accept, now, logger } = deps;
  const enqueue = new Hono<EnqueueEnv>();
  const Routed = z.looseObject({ [keyField]: z.string().min(1) });

  /** Acknowledges in the name of the key, because the event names no person. */
  function applyAcknowledge(event: PagerDutyEvent, key: ApiKey): Promise<string | null> {
    const sender = senderOf(key);
    const fingerprint = pagerDutyFingerprint(event, sender);
    return act({ kind: 'acknowledge', sender, fingerprint, actor: actorAt(key), note: null });
  }

  const admit: MiddlewareHandler<EnqueueEnv> = async (c, next) => {
    const request = c.req.raw;
    const event = await receiveJson(bodies, request, READING, decodeJson(Routed, request.headers));
    const { [keyField]: rawKey, ...body } = event;
    const key = await authenticateRawKey(String(rawKey), keys, now());
    demandScope(key, 'ingest');
    c.set('key', key);
    c.set('body', body);
    await next();
  };

  enqueue.post('/', gates.observe, recordOutcome(deps), admit, gates.limit, async (c) => {
    const event = check(c.get('body'));
    const sender = senderOf(c.get('key'));
    await accept({ ...readPagerDutyEvent(event, sender, now()), sender });
    const unchanged = event.event_action === 'acknowledge' ? await applyAcknowledge(event, c.get('key')) : null;
    const message = unchanged === null ? 'Event processed' : `Event ignored: ${unchanged}`;
    return c.json({ status: 'success', message, [dedupField]: dedupKeyOf(event) }, status);
  });

  enqueue.onError((error, c) => {
    if (!(error instanceof RequestError)) {
      return problemResponse(error, c.get('requestId'), logger);
    }
    const errors = error.errors?.map(({ pointer = '', detail }) => `${pointer.slice(1) || 'the event'}: ${detail}`);
    return c.json(
      { status: 'invalid event', message: 'Event object is invalid', errors: errors ?? [error.message] },
      STATUS_BY_CODE[error.code] ?? 400,
      { ...error.headers },
    );
  });
  return enqueue;
}
