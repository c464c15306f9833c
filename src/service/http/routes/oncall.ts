import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { INGEST_PATHS } from '../../../contract/integrations.ts';
import { senderOf } from '../../core/api-key.ts';
import { AnyWebhook, FormattedWebhook, readFormattedWebhook } from '../../ingest/formats/oncall/formatted-webhook.ts';
import type { Decode } from '../../ingest/incoming-bodies.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { decodeJson, receiveJson, thenRead } from '../ingest-body.ts';
import { INGEST_FORMATS } from '../ingest-formats.ts';
import { acceptReceived, admitSender, type IngestGates, type IngestRouteDeps } from '../ingest-gates.ts';
import type { TakeMapped } from '../mapped-intake.ts';
import { receivePreset } from '../preset-formats.ts';
import { RequestError } from '../problem.ts';
import type { Received } from '../take-entries.ts';

type Read = (headers: Headers, sender: string, now: Date) => Decode<Received>;

const formatted =
  (schema: z.ZodType<FormattedWebhook>): Read =>
  (headers, sender, now) =>
    thenRead(decodeJson(schema, headers), (alert) => readFormattedWebhook(alert, sender, now));

function ofType(type: keyof typeof INGEST_FORMATS): Read {
  return (headers, _sender, now) => INGEST_FORMATS[type].decode(headers, now);
}

/** How the senders of each type of OnCall's integrations are read. */
const TYPES: Readonly<Record<string, Read>> = {
  alertmanager: ofType('alertmanager'),
  grafana: ofType('grafana'),
  grafana_alerting: ofType('grafana'),
  webhook: formatted(AnyWebhook),
  formatted_webhook: formatted(FormattedWebhook),
  zabbix: formatted(FormattedWebhook),
  elastalert: formatted(FormattedWebhook),
  datadog: ofType('datadog'),
  sentry: ofType('sentry'),
};

/** @throws {RequestError} */
function refuseType(): never {
  const detail = `the types of OnCall that are read here are ${[...Object.keys(TYPES), 'newrelic'].join(', ')} and heartbeat: use an integration of type json for others`;
  throw new RequestError('not-found', detail);
}

/** The addresses of Grafana OnCall, so that its senders only change the host and the key. */
export function bindOnCall(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates, take: TakeMapped): void {
  const { bodies, accept, now } = deps;
  const onCall = new Hono<ApiEnv>();
  const bindType = (type: string, receive: (c: Context<ApiEnv>) => Promise<void>) => {
    const paths = [`${INGEST_PATHS.oncall}/${type}/:key`, `${INGEST_PATHS.oncall}/${type}/:key/`];
    onCall.on('POST', paths, ...admitSender(deps, gates), async (c) => {
      await receive(c);
      return c.text('Ok.');
    });
    for (const path of paths) {
      refuseOtherMethods(onCall, path, ['POST']);
    }
  };
  for (const [type, read] of Object.entries(TYPES)) {
    bindType(type, async (c) => {
      const sender = senderOf(c.get('key'));
      const limits = { sender: c.get('key').id, maxBytes: INGEST_LIMITS.alertmanagerBytes };
      const received = await receiveJson(bodies, c.req.raw, limits, read(c.req.raw.headers, sender, now()));
      await acceptReceived(c, received, accept);
    });
  }
  bindType('newrelic', (c) => receivePreset('new_relic', c, deps, take));
  onCall.post(`${INGEST_PATHS.oncall}/:type/:key/`, refuseType);
  onCall.post(`${INGEST_PATHS.oncall}/:type/:key`, refuseType);
  api.route('/', onCall);
}
