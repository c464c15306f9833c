import { Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { senderOf } from '../../core/api-key.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import { dedupKeyOf, PagerDutyEvent, readPagerDutyEvent } from '../../ingest/pagerduty-event.ts';
import type { ApiEnv } from '../api-env.ts';
import { authenticateRawKey, demandScope } from '../auth.ts';
import { decodeJson, receiveJson } from '../ingest-body.ts';
import { problemResponse, RequestError } from '../problem.ts';
import { recordOutcome } from '../record-outcome.ts';
import { checkBody } from '../validate.ts';
import type { IngestGates, IngestRouteDeps } from './ingest.ts';

/** The sender is known only after the event has been read, so all share what one sender may have in flight. */
const READING = { sender: 'PagerDuty events', maxBytes: INGEST_LIMITS.pagerDutyBytes };

const Routed = z.looseObject({ routing_key: z.string().min(1) });

/** PagerDuty answers 400 to all errors. These say more, and senders treat them the same. */
const STATUS_BY_CODE: Readonly<Partial<Record<RequestError['code'], 403 | 413 | 429>>> = {
  'insufficient-scope': 403,
  'body-too-large': 413,
  'rate-limited': 429,
};

interface EnqueueEnv {
  Variables: ApiEnv['Variables'] & { /** Without `routing_key`. */ body: object };
}

/** PagerDuty's Events API v2. The `routing_key` of an event is an ingest key. */
export function createEnqueue(deps: IngestRouteDeps, gates: IngestGates): Hono<EnqueueEnv> {
  const { keys, bodies, accept, now, logger } = deps;
  const enqueue = new Hono<EnqueueEnv>();

  const admit: MiddlewareHandler<EnqueueEnv> = async (c, next) => {
    const request = c.req.raw;
    const event = await receiveJson(bodies, request, READING, decodeJson(Routed, request.headers));
    const { routing_key, ...body } = event;
    const key = await authenticateRawKey(routing_key, keys, now());
    demandScope(key, 'ingest');
    c.set('key', key);
    c.set('body', body);
    await next();
  };

  enqueue.post('/', gates.observe, recordOutcome(deps), admit, gates.limit, async (c) => {
    const event = checkBody(PagerDutyEvent, c.get('body'));
    const sender = senderOf(c.get('key'));
    await accept({ ...readPagerDutyEvent(event, sender, now()), sender });
    const message =
      event.event_action === 'acknowledge'
        ? 'Event ignored: incidents are acknowledged in Slack or by the API'
        : 'Event processed';
    return c.json({ status: 'success', message, dedup_key: dedupKeyOf(event) }, 202);
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
