import { type Context, Hono } from 'hono';
import { INGEST_PATHS } from '../../../contract/integrations.ts';
import { senderOf } from '../../core/api-key.ts';
import type { SignalBatch } from '../../core/signal.ts';
import {
  aliasOf,
  endOpsgenieAlert,
  OpsgenieAlert,
  opsgenieFingerprint,
  readOpsgenieAlert,
} from '../../ingest/formats/opsgenie/opsgenie-alert.ts';
import type { Decode } from '../../ingest/incoming-bodies.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import { ActionBody, type AlertAction, actorAt, createAlertActions } from '../alert-actions.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { decodeJson, receiveJson } from '../ingest-body.ts';
import { acceptReceived, admitSender, type IngestGates, type IngestRouteDeps } from '../ingest-gates.ts';
import { faultOf, STATUS_BY_CODE } from '../problem.ts';

const ALERTS = INGEST_PATHS.opsgenie;

/** Actions that are done to the alert's incident. */
const APPLIED: readonly (readonly [path: string, kind: AlertAction['kind']])[] = [
  ['acknowledge', 'acknowledge'],
  ['unacknowledge', 'unacknowledge'],
  ['notes', 'note'],
];

/** Actions that are accepted and ignored: rules decide who is notified, and the alert itself carries its fields. */
const IGNORED = [
  ['POST', 'snooze'],
  ['POST', 'escalate'],
  ['POST', 'assign'],
  ['POST', 'teams'],
  ['POST', 'responders'],
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
  const act = createAlertActions(deps);

  async function receive<Result>(c: Context<ApiEnv>, decode: Decode<Result>): Promise<Result> {
    const limits = { sender: c.get('key').id, maxBytes: INGEST_LIMITS.eventsBytes };
    return receiveJson(bodies, c.req.raw, limits, decode);
  }

  /** @returns why nothing was changed; null: it was */
  async function apply(c: Context<ApiEnv>, kind: AlertAction['kind']): Promise<string | null> {
    const key = c.get('key');
    const { user, note } = await receive(c, decodeAction(c.req.raw.headers));
    const sender = senderOf(key);
    const fingerprint = opsgenieFingerprint(sender, c.req.param('alias') ?? '');
    return kind === 'note' && note === null
      ? 'the note is empty'
      : act({ kind, sender, fingerprint, actor: actorAt(key, user), note });
  }

  async function process(c: Context<ApiEnv>, batch: SignalBatch, requestId?: string): Promise<Response> {
    await acceptReceived(c, batch, accept);
    const notes = (c.get('unkept') ?? []).map(({ reason }) => reason);
    return answer(c, ['Request will be processed', ...notes].join('; '), requestId);
  }

  opsgenie.on('POST', at(ALERTS), ...admit, async (c) => {
    const alert = await receive(c, decodeJson(OpsgenieAlert, c.req.raw.headers));
    c.header('x-tocsin-alias', encodeURIComponent(aliasOf(alert)));
    const batch = readOpsgenieAlert(alert, senderOf(c.get('key')), now());
    return process(c, batch, requestIdOf(c.get('requestId'), aliasOf(alert)));
  });
  opsgenie.on('POST', at(`${ALERTS}/:alias/close`), ...admit, async (c) => {
    const ended = await process(c, endOf(c, now()));
    await apply(c, 'note');
    return ended;
  });
  opsgenie.on('DELETE', at(`${ALERTS}/:alias`), ...admit, (c) => process(c, endOf(c, now())));
  for (const [path, kind] of APPLIED) {
    opsgenie.on('POST', at(`${ALERTS}/:alias/${path}`), ...admit, async (c) => {
      const unchanged = await apply(c, kind);
      return answer(c, unchanged === null ? 'Request will be processed' : `Request ignored: ${unchanged}`);
    });
  }
  for (const [method, action] of IGNORED) {
    opsgenie.on(method, at(`${ALERTS}/:alias/${action}`), ...admit, (c) =>
      answer(c, 'Request ignored: not supported, see docs/senders.md'),
    );
  }
  // Clients poll for the result of a request, and for the id of its alert. Each request is processed before its response.
  opsgenie.on('GET', at(`${ALERTS}/requests/:request`), ...admit, (c) => {
    const requestId = c.req.param('request') ?? '';
    const alias = aliasIn(requestId);
    const data = { success: true, isSuccess: true, status: 'Processed', alertId: alias, alias };
    return c.json({ data, took: 0, requestId });
  });
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

/** Opsgenie's SDK for Node ends every address with a slash. */
function at(path: string): string[] {
  return [path, `${path}/`];
}

/** Also without a body. */
function decodeAction(headers: Headers): Decode<ActionBody> {
  return function* (bytes) {
    return bytes.byteLength === 0 ? { user: null, note: null } : yield* decodeJson(ActionBody, headers)(bytes);
  };
}

function answer(c: Context<ApiEnv>, result: string, requestId = c.get('requestId')): Response {
  return c.json({ result, took: 0, requestId }, 202);
}

/** An alert has no id but its alias, which the id of its request tells to those who ask for the result. */
function requestIdOf(requestId: string, alias: string): string {
  return `${requestId}.${Buffer.from(alias).toString('base64url')}`;
}

function aliasIn(requestId: string): string {
  return Buffer.from(/\.([\w-]+)$/.exec(requestId)?.[1] ?? '', 'base64url').toString();
}

function endOf(c: Context<ApiEnv>, now: Date): SignalBatch {
  return endOpsgenieAlert(c.req.param('alias') ?? '', senderOf(c.get('key')), now);
}
