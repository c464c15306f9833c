import { Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { INGEST_PATHS } from '../../../contract/integrations.ts';
import { type ApiKey, senderOf } from '../../core/api-key.ts';
import type { SignalBatch } from '../../core/signal.ts';
import { PagerDutyChange, readPagerDutyChange } from '../../ingest/formats/pagerduty-events/pagerduty-change.ts';
import {
  dedupKeyOf,
  PagerDutyEvent,
  pagerDutyFingerprint,
  readPagerDutyEvent,
} from '../../ingest/formats/pagerduty-events/pagerduty-event.ts';
import { PagerDutyV1Event, toVersion2 } from '../../ingest/formats/pagerduty-events/pagerduty-v1.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import { type ApplyAlertAction, actorAt, createAlertActions } from '../alert-actions.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { authenticateRawKey, demandScope } from '../auth.ts';
import { decodeJson, receiveJson } from '../ingest-body.ts';
import type { IngestGates, IngestRouteDeps } from '../ingest-gates.ts';
import { problemResponse, RequestError } from '../problem.ts';
import { recordOutcome } from '../record-outcome.ts';
import { withoutEffect } from '../unkept-notes.ts';
import { checkBody, invalidBody } from '../validate.ts';

/** All senders share the memory limit of one, because the sender is known only after the event has been read. */
const READING = { sender: 'PagerDuty events', maxBytes: INGEST_LIMITS.pagerDutyBytes };

/** One address of the Events API: where the key is, and what becomes of an event. */
interface EventsApi {
  readonly path: string;
  readonly keyField: string;
  /** A header that may have the key too. */
  readonly keyHeader?: string;
  readonly status: 200 | 202;
  /** @throws {RequestError} */
  readonly take: (body: unknown, sender: string, now: Date) => Taken;
}

interface Taken {
  readonly batch: SignalBatch;
  /** Fingerprint of the alert that somebody acknowledged. */
  readonly acknowledged?: string;
  readonly message: string;
  /** The key of the alert, as the answer calls it. */
  readonly answer: Readonly<Record<string, string>>;
}

function takeEvent(event: PagerDutyEvent, keyName: string, sender: string, now: Date): Taken {
  const taken = {
    batch: readPagerDutyEvent(event, sender, now),
    message: 'Event processed',
    answer: { [keyName]: dedupKeyOf(event) },
  };
  return event.event_action === 'acknowledge' ? { ...taken, acknowledged: pagerDutyFingerprint(event, sender) } : taken;
}

const ROUTED = { keyField: 'routing_key', keyHeader: 'x-routing-key', status: 202 } as const;

const EVENTS_APIS: readonly EventsApi[] = [
  {
    ...ROUTED,
    path: INGEST_PATHS.pagerduty_events,
    take: (body, sender, now) => takeEvent(checkBody(PagerDutyEvent, body), 'dedup_key', sender, now),
  },
  {
    ...ROUTED,
    path: '/v2/change/enqueue',
    take: (body, _sender, now) => ({
      batch: readPagerDutyChange(checkBody(PagerDutyChange, body), now),
      message: 'Change event processed',
      answer: {},
    }),
  },
  {
    path: '/generic/2010-04-15/create_event.json',
    keyField: 'service_key',
    status: 200,
    take: (body, sender, now) => takeEvent(toVersion2(checkBody(PagerDutyV1Event, body)), 'incident_key', sender, now),
  },
];

/** PagerDuty answers 400 to all errors. These say more, and senders treat them the same. */
const STATUS_BY_CODE: Readonly<Partial<Record<RequestError['code'], 403 | 413 | 429>>> = {
  'insufficient-scope': 403,
  'body-too-large': 413,
  'rate-limited': 429,
};

interface EnqueueEnv {
  Bindings: ApiEnv['Bindings'];
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
  { keyField, keyHeader, status, take }: EventsApi,
  act: ApplyAlertAction,
  deps: IngestRouteDeps,
  gates: IngestGates,
): Hono<EnqueueEnv> {
  const { keys, bodies, accept, now, logger } = deps;
  const enqueue = new Hono<EnqueueEnv>();
  const Routed = z.looseObject({ [keyField]: z.string().min(1).optional() });

  /** Acknowledges in the name of the key, because the event names no person. @returns why nothing was changed */
  async function applyAcknowledge(fingerprint: string | undefined, key: ApiKey): Promise<string | null> {
    return fingerprint === undefined
      ? null
      : act({ kind: 'acknowledge', sender: senderOf(key), fingerprint, actor: actorAt(key), note: null });
  }

  const admit: MiddlewareHandler<EnqueueEnv> = async (c, next) => {
    const request = c.req.raw;
    const event = await receiveJson(bodies, request, READING, decodeJson(Routed, request.headers));
    const { [keyField]: inBody, ...body } = event;
    const rawKey = inBody ?? (keyHeader === undefined ? null : request.headers.get(keyHeader));
    if (typeof rawKey !== 'string') {
      throw invalidBody([{ pointer: `/${keyField}`, detail: 'is required' }]);
    }
    const key = await authenticateRawKey(rawKey, keys(c.env?.address), now());
    demandScope(key, 'ingest');
    c.set('key', key);
    c.set('body', body);
    await next();
  };

  enqueue.post('/', gates.observe, recordOutcome(deps), admit, gates.limit, async (c) => {
    const sender = senderOf(c.get('key'));
    const { batch, acknowledged, message, answer } = take(c.get('body'), sender, now());
    const { endedNothing } = await accept({ ...batch, sender });
    const unkept = withoutEffect(batch, endedNothing);
    c.set('unkept', unkept);
    const unchanged = await applyAcknowledge(acknowledged, c.get('key'));
    const told = unchanged === null ? message : `Event ignored: ${unchanged}`;
    const notes = unkept.map(({ reason }) => reason);
    return c.json({ status: 'success', message: [told, ...notes].join('; '), ...answer }, status);
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
