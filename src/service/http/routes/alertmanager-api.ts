import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { INGEST_PATHS } from '../../../contract/integrations.ts';
import { senderOf } from '../../core/api-key.ts';
import { signalOfPosted } from '../../core/posted-alert.ts';
import {
  labelsOfEnds,
  PostableAlerts,
  readPostedAlerts,
  toPostedSignal,
} from '../../ingest/formats/prometheus/posted-alert.ts';
import { createPostedAlerts } from '../../ingest/formats/prometheus/posted-alerts.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import { readMatchers } from '../alert-matchers.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { authenticateSender, demandScope } from '../auth.ts';
import { receiveJson } from '../ingest-body.ts';
import { admitSender, type IngestGates, type IngestRouteDeps } from '../ingest-gates.ts';
import { faultOf, STATUS_BY_CODE } from '../problem.ts';
import { decodeEntries } from '../take-entries.ts';
import { bindSilences } from './alertmanager-silences.ts';

/** Alerts in an answer of `GET /api/v2/alerts`. */
const MAX_LISTED = 10_000;

/** Statuses that the API does not define. They become 400, because clients would hide the reason. */
const UNKNOWN_TO_CLIENTS: readonly number[] = [409, 415, 422];

/** Below the address of the integration, with and without the key in the path, and at the root like an Alertmanager. */
const PREFIXES = [INGEST_PATHS.prometheus, `${INGEST_PATHS.prometheus}/:key`, ''];

/** Authenticates a reader: `amtool`, or Prometheus with a health check. */
export type Reader = MiddlewareHandler<ApiEnv>;

/** The part of Alertmanager's API v2 that Prometheus and `amtool` use, for Tocsin in `alerting.alertmanagers`. */
export function bindAlertmanagerApi(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates): void {
  const startedAt = deps.now();
  const own = new Hono<ApiEnv>();
  const admitReader: Reader = async (c, next) => {
    c.set('key', await authenticateSender(c.req.raw, deps.keys(c.env?.address), deps.now(), c.req.param('key')));
    await next();
  };
  const receive = createReceiver(deps);
  // A client of this API expects a JSON string as the description of an error.
  own.onError((error, c) => {
    const { code, detail = 'internal error', headers = {} } = faultOf(error, c.get('requestId'), deps.logger);
    const status = STATUS_BY_CODE[code];
    return Response.json(detail, { status: UNKNOWN_TO_CLIENTS.includes(status) ? 400 : status, headers });
  });
  for (const prefix of PREFIXES) {
    own.get(`${prefix}/-/healthy`, (c) => c.text('OK\n'));
    own.get(`${prefix}/-/ready`, (c) => c.text('OK\n'));
    own.get(`${prefix}/api/v2/status`, admitReader, gates.limit, (c) => c.json(describeStatus(startedAt)));
    own.get(`${prefix}/api/v2/receivers`, admitReader, gates.limit, (c) => c.json([{ name: 'tocsin' }]));
    own.get(`${prefix}/api/v2/alerts`, admitReader, gates.limit, (c) => listAlerts(c, deps));
    const path = `${prefix}/api/v2/alerts`;
    // Flux posts to the second; older Prometheus, Thanos Rule and Loki's ruler to the third, in the same form.
    own.on('POST', [path, `${path}/`, `${prefix}/api/v1/alerts`], ...admitSender(deps, gates), receive);
    refuseOtherMethods(own, path, ['GET', 'POST']);
    bindSilences(own, `${prefix}/api/v2`, [admitReader, gates.limit], deps);
  }
  api.route('/', own);
}

function createReceiver({ bodies, postedAlerts, accept, now }: IngestRouteDeps) {
  const known = createPostedAlerts();
  return async (c: Context<ApiEnv>): Promise<Response> => {
    const request = c.req.raw;
    const sender = senderOf(c.get('key'));
    const limits = { sender: c.get('key').id, maxBytes: INGEST_LIMITS.alertmanagerBytes };
    const { body, refusal } = await receiveJson(
      bodies,
      request,
      limits,
      decodeEntries(PostableAlerts, request.headers),
    );
    c.set('items', body.length);
    const at = now();
    const over = await postedAlerts.findBesideSeverity(sender, labelsOfEnds(body));
    const alerts = [...readPostedAlerts(body, at), ...over.map((alert) => ({ ...alert, endsAt: at }))];
    const changes = await known.compare(sender, alerts, at, (unknown) => postedAlerts.findActive(sender, unknown));
    const { fired, refreshed, ended } = changes;
    const keep = [...fired.map(({ alert }) => alert), ...refreshed];
    if (fired.length > 0 || ended.length > 0) {
      await accept({
        signals: fired.map(({ alert, observedAt }) => toPostedSignal(alert, observedAt)),
        ends: ended.map((alert) => ({ fingerprint: signalOfPosted(alert), endedAt: alert.endsAt })),
        sender,
        posted: { keep, remove: ended.map(({ fingerprint }) => fingerprint) },
      });
    } else {
      await postedAlerts.keep(sender, keep, at);
    }
    known.remember(sender, changes);
    if (refusal !== null) {
      throw refusal; // Prometheus does not post the valid alerts again
    }
    return c.body(null, 200);
  };
}

/** There is no cluster and no configuration file; the fields are what clients require. */
function describeStatus(startedAt: Date): object {
  const version = { version: 'tocsin', revision: '', branch: '', buildUser: '', buildDate: '', goVersion: '' };
  const config = { original: '# Tocsin routes by its rules\n' };
  return { cluster: { status: 'disabled', peers: [] }, versionInfo: version, config, uptime: startedAt.toISOString() };
}

async function listAlerts(c: Context<ApiEnv>, { postedAlerts, now }: IngestRouteDeps): Promise<Response> {
  demandScope(c.get('key'), 'read-only');
  const query = new URL(c.req.url).searchParams;
  const matches = readMatchers(query.getAll('filter'));
  const isWanted = query.get('active') !== 'false';
  const at = now();
  const active = isWanted ? await postedAlerts.list(MAX_LISTED) : [];
  return c.json(
    active
      .filter(({ labels, endsAt }) => endsAt > at && matches(labels))
      .map(({ labels, annotations, fingerprint, startsAt, endsAt, updatedAt, generatorUrl }) => ({
        labels,
        annotations,
        fingerprint,
        startsAt,
        endsAt,
        updatedAt,
        ...(generatorUrl === null ? {} : { generatorURL: generatorUrl }),
        receivers: [{ name: 'tocsin' }],
        status: { state: 'active', silencedBy: [], inhibitedBy: [], mutedBy: [] },
      })),
  );
}
