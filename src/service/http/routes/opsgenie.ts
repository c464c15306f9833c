import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { INGEST_PATHS } from '../../../contract/requests.ts';
import { senderOf } from '../../core/api-key.ts';
import type { SignalBatch } from '../../core/signal.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import { aliasOf, endOpsgenieAlert, OpsgenieAlert, readOpsgenieAlert } from '../../ingest/opsgenie-alert.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { decodeJson, receiveJson } from '../ingest-body.ts';
import { admitSender, type IngestGates, type IngestRouteDeps } from '../ingest-gates.ts';
import { faultOf, STATUS_BY_CODE } from '../problem.ts';

const ALERTS = INGEST_PATHS.opsgenie;

/** What can be done with an alert that has no counterpart: people act in Slack, and rules say who is told. */
const IGNORED = [
  ['POST', 'acknowledge'],
  ['POST', 'unacknowledge'],
  ['POST', 'snooze'],
  ['POST', 'escalate'],
  ['POST', 'assign'],
  ['POST', 'teams'],
  ['POST', 'responders'],
  ['POST', 'notes'],
  ['POST', 'tags'],
  ['POST', 'details'],
  ['POST', 'actions/:action'],
  ['PUT', 'message'],
  ['PUT', 'description'],
  ['PUT', 'priority'],
] as const;

/** Opsgenie's Alert API. The API key is an ingest key. */
export function bindOpsgenie(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates): void {
  const opsgenie = new Hono<ApiEnv>();
  const { bodies, accept, now, logger } = deps;
  const admit = admitSender(deps, gates);

  async function receive<Schema extends z.ZodType>(c: Context<ApiEnv>, schema: Schema): Promise<z.output<Schema>> {
    const limits = { sender: c.get('key').id, maxBytes: INGEST_LIMITS.eventsBytes };
    return receiveJson(bodies, c.req.raw, limits, decodeJson(schema, c.req.raw.headers));
  }

  async function process(c: Context<ApiEnv>, batch: SignalBatch): Promise<Response> {
    await accept({ ...batch, sender: senderOf(c.get('key')) });
    return answer(c, 'Request will be processed');
  }

  opsgenie.on('POST', [ALERTS], ...admit, async (c) => {
    const alert = await receive(c, OpsgenieAlert);
    c.header('x-tocsin-alias', encodeURIComponent(aliasOf(alert)));
    return process(c, readOpsgenieAlert(alert, senderOf(c.get('key')), now()));
  });
  // A body is optional, and says nothing that is used.
  opsgenie.on('POST', [`${ALERTS}/:alias/close`], ...admit, (c) => process(c, endOf(c, now())));
  opsgenie.on('DELETE', [`${ALERTS}/:alias`], ...admit, (c) => process(c, endOf(c, now())));
  for (const [method, action] of IGNORED) {
    opsgenie.on(method, [`${ALERTS}/:alias/${action}`], ...admit, (c) =>
      answer(c, 'Request ignored: people acknowledge and comment in Slack or by the API'),
    );
  }
  // Clients ask whether a request was processed. It was before it was answered.
  opsgenie.on('GET', [`${ALERTS}/requests/:request`], ...admit, (c) =>
    c.json({
      data: { success: true, isSuccess: true, status: 'Processed', alertId: '', alias: '' },
      took: 0,
      requestId: c.req.param('request'),
    }),
  );
  refuseOtherMethods(opsgenie, ALERTS, ['POST']);

  opsgenie.onError((error, c) => {
    const requestId = c.get('requestId');
    const { code, detail = 'internal error', errors, headers = {} } = faultOf(error, requestId, logger);
    const named = errors?.map(({ pointer = '', detail: fault }) => [pointer.slice(1) || 'body', fault] as const);
    const body = { message: detail, took: 0, requestId, ...(named && { errors: Object.fromEntries(named) }) };
    return Response.json(body, { status: STATUS_BY_CODE[code], headers });
  });
  api.route('/', opsgenie);
}

function answer(c: Context<ApiEnv>, result: string): Response {
  return c.json({ result, took: 0, requestId: c.get('requestId') }, 202);
}

function endOf(c: Context<ApiEnv>, now: Date): SignalBatch {
  return endOpsgenieAlert(c.req.param('alias') ?? '', senderOf(c.get('key')), now);
}
