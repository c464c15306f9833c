import type { IncomingType } from '../../../contract/integrations.ts';
import type { PushFormat } from '../push/push-format.ts';
import { ALERTMANAGER } from './alertmanager/format.ts';
import { ARGO_CD } from './argo-cd/format.ts';
import { CLOUDEVENTS } from './cloudevents/format.ts';
import { DATADOG } from './datadog/format.ts';
import { ELASTICSEARCH } from './elasticsearch/elasticsearch.ts';
import { FLUX } from './flux/format.ts';
import type { EntriesFormat, IncomingFormat, PresetFormat, WebhookFormat } from './format.ts';
import { GENERIC } from './generic/format.ts';
import { GITHUB } from './github/format.ts';
import { GITLAB } from './gitlab/format.ts';
import { GRAFANA } from './grafana/format.ts';
import { HEARTBEAT } from './heartbeat/format.ts';
import { JSON_BY_MAPPING } from './json/format.ts';
import { LOKI } from './loki/loki.ts';
import { NEW_RELIC } from './new-relic/format.ts';
import { ONCALL } from './oncall/format.ts';
import { OPSGENIE } from './opsgenie/format.ts';
import { OTLP } from './otlp/format.ts';
import { PAGERDUTY_EVENTS } from './pagerduty-events/format.ts';
import { PROMETHEUS } from './prometheus/format.ts';
import { REMOTE_WRITE } from './remote-write/remote-write.ts';
import { SENTRY } from './sentry/format.ts';
import { SNS } from './sns/format.ts';
import { SPLUNK_HEC } from './splunk-hec/splunk-hec.ts';
import { SYSLOG } from './syslog/syslog.ts';
import { UPTIME_KUMA } from './uptime-kuma/format.ts';
import { ZABBIX } from './zabbix/format.ts';

/** Every type of integration that sends signals, a folder each. */
export const FORMATS = {
  otlp: OTLP,
  alertmanager: ALERTMANAGER,
  prometheus: PROMETHEUS,
  grafana: GRAFANA,
  pagerduty_events: PAGERDUTY_EVENTS,
  opsgenie: OPSGENIE,
  oncall: ONCALL,
  cloudevents: CLOUDEVENTS,
  generic: GENERIC,
  heartbeat: HEARTBEAT,
  sns: SNS,
  datadog: DATADOG,
  new_relic: NEW_RELIC,
  sentry: SENTRY,
  zabbix: ZABBIX,
  uptime_kuma: UPTIME_KUMA,
  github: GITHUB,
  gitlab: GITLAB,
  argo_cd: ARGO_CD,
  flux: FLUX,
  loki: LOKI,
  elasticsearch: ELASTICSEARCH,
  splunk_hec: SPLUNK_HEC,
  remote_write: REMOTE_WRITE,
  syslog: SYSLOG,
  json: JSON_BY_MAPPING,
} as const satisfies Readonly<Record<IncomingType, IncomingFormat>>;

/** Types whose format has the parts of another kind of format. */
type TypesOf<Format> = {
  [Type in IncomingType]: (typeof FORMATS)[Type] extends Format ? Type : never;
}[IncomingType];

export type PresetType = TypesOf<PresetFormat>;
export type WebhookType = TypesOf<WebhookFormat>;
export type EntriesType = TypesOf<EntriesFormat>;
export type PushType = TypesOf<PushFormat>;

export const PRESET_FORMATS = select<PresetFormat>('preset');
export const WEBHOOK_FORMATS = select<WebhookFormat>('webhook');
export const ENTRIES_FORMATS = select<EntriesFormat>('entries');
export const PUSH_FORMATS = select<PushFormat>('decoderFor');

function select<Format>(part: keyof Format & string): Readonly<Record<TypesOf<Format>, Format>> {
  const having = Object.entries(FORMATS).filter(([, format]) => part in format);
  return Object.fromEntries(having) as Readonly<Record<TypesOf<Format>, Format>>; // only this kind has the part
}
