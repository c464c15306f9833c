import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { INGEST_PATHS } from '../../../contract/integrations.ts';
import { senderOf } from '../../core/api-key.ts';
import { PRESET_FORMATS, type PresetType } from '../../ingest/formats/formats.ts';
import { failureResponse, findEncoding, TELEMETRY_KINDS } from '../../ingest/formats/otlp/otlp-response.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { receiveJson } from '../ingest-body.ts';
import { INGEST_FORMATS } from '../ingest-formats.ts';
import { acceptReceived, admitSender, type IngestGates, type IngestRouteDeps } from '../ingest-gates.ts';
import { createMappedIntake } from '../mapped-intake.ts';
import { receivePreset } from '../preset-formats.ts';
import { faultOf, STATUS_BY_CODE } from '../problem.ts';
import { verifyingSignature } from '../signed-body.ts';
import { answerDone, noteUnkept } from '../unkept-notes.ts';
import { bindAlertmanagerApi } from './alertmanager-api.ts';
import { bindEnqueue } from './enqueue.ts';
import { bindHeartbeats } from './heartbeats.ts';
import { bindJson } from './json.ts';
import { bindOnCall } from './oncall.ts';
import { bindOpsgenie } from './opsgenie.ts';
import { bindPushes } from './pushes.ts';
import { bindSentrySdk } from './sentry-sdk.ts';
import { bindSns } from './sns.ts';

type Handler = (c: Context<ApiEnv>) => Promise<Response>;

/** The routes that receive signals. */
export function bindIngest(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates): void {
  const takeMapped = createMappedIntake(deps);
  const otlp = new Hono<ApiEnv>();
  otlp.onError((error, c) => otlpErrorResponse(error, c, deps.logger));
  for (const kind of TELEMETRY_KINDS) {
    bind(otlp, deps, gates, `/v1/${kind}`, (c) => {
      return deps.receiveOtlp(c.req.raw, kind, {
        sender: senderOf(c.get('key')),
        onItems: (items) => c.set('items', items),
        onUnkept: (unkept) => noteUnkept(c, unkept),
      });
    });
  }
  api.route('/', otlp);
  for (const [type, { maxBytes, decode, signature }] of Object.entries(INGEST_FORMATS)) {
    const path = INGEST_PATHS[type as keyof typeof INGEST_FORMATS]; // what Object.entries gives
    bind(api, deps, gates, path, async (c) => {
      const request = c.req.raw;
      const limits = { sender: c.get('key').id, maxBytes };
      const decodeBody = decode(request.headers, deps.now());
      const verify = await verifyingSignature(c.get('key'), signature, deps);
      const received = await receiveJson(deps.bodies, request, limits, verify(request.headers, decodeBody));
      await acceptReceived(c, received, deps.accept);
      return answerDone(c);
    });
  }
  for (const type of Object.keys(PRESET_FORMATS) as PresetType[]) {
    // what Object.keys gives
    bind(api, deps, gates, INGEST_PATHS[type], async (c) => {
      await receivePreset(type, c, deps, takeMapped);
      return answerDone(c);
    });
  }
  bindHeartbeats(api, deps, gates);
  bindSns(api, deps, gates);
  bindPushes(api, deps, gates);
  bindAlertmanagerApi(api, deps, gates);
  bindEnqueue(api, deps, gates);
  bindOpsgenie(api, deps, gates);
  bindOnCall(api, deps, gates, takeMapped);
  bindJson(api, deps, gates, takeMapped);
  bindSentrySdk(api, deps, gates);
  // Before a key is asked for, which senders have in other places than our own clients.
  api.use((c, next) => (isOfOthers(c.req.path) ? Promise.resolve(c.notFound()) : next()));
}

/** Whether other products define what is below the path, and not our API. */
function isOfOthers(path: string): boolean {
  return (
    !path.startsWith('/v1/') || Object.values(INGEST_PATHS).some((own) => own !== '' && path.startsWith(`${own}/`))
  );
}

/** OTLP requires `google.rpc.Status` in the encoding of the request for every error. */
function otlpErrorResponse(error: unknown, c: Context<ApiEnv>, logger: Logger): Response {
  const { code, detail = 'internal', headers } = faultOf(error, c.get('requestId'), logger);
  return failureResponse(findEncoding(c.req.raw.headers) ?? 'json', STATUS_BY_CODE[code], detail, headers);
}

/** @param handlers run for authenticated senders */
function bind(
  api: Hono<ApiEnv>,
  deps: IngestRouteDeps,
  gates: IngestGates,
  path: string,
  ...handlers: [...MiddlewareHandler[], Handler]
): void {
  api.on('POST', [path, `${path}/`], ...admitSender(deps, gates), ...handlers);
  refuseOtherMethods(api, path, ['POST']);
}
