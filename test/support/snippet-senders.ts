import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { IncomingType } from '../../src/contract/integrations.ts';
import { argoCdNotification } from '../../src/service/ingest/formats/argo-cd/argo-cd.samples.ts';
import { datadogEvent } from '../../src/service/ingest/formats/datadog/datadog.samples.ts';
import { fluxEvent } from '../../src/service/ingest/formats/flux/flux.samples.ts';
import { gitHubDeployment } from '../../src/service/ingest/formats/github/github.samples.ts';
import { gitLabDeployment } from '../../src/service/ingest/formats/gitlab/gitlab.samples.ts';
import { newRelicIssue } from '../../src/service/ingest/formats/new-relic/new-relic.samples.ts';
import { sentryIssue } from '../../src/service/ingest/formats/sentry/sentry.samples.ts';
import { uptimeKumaEvent } from '../../src/service/ingest/formats/uptime-kuma/uptime-kuma.samples.ts';
import { zabbixEvent } from '../../src/service/ingest/formats/zabbix/zabbix.samples.ts';
import { alertNotification } from './alert-notification.ts';
import { HANG_MS } from './hang.ts';
import { hasPrometheus } from './prometheus.ts';
import { lokiRequest, writeRequest } from './push-encode.ts';
import { snsMessage } from './sns-sender.ts';

/** Does what a person does with a snippet of an integration's page, and sends what its product sends. */
export type UseSnippet = (snippet: string) => Promise<unknown>;

const run = promisify(execFile);

const bash: UseSnippet = (snippet) => run('bash', ['-c', snippet], { timeout: HANG_MS });

async function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const all = new Headers({ 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(headers)) {
    all.set(name, value);
  }
  const response = await fetch(url, { method: 'POST', headers: all, body: JSON.stringify(body) });
  if (!response.ok) {
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  }
}

async function postBytes(url: string, body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers, body: Uint8Array.from(body) });
  if (!response.ok) {
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  }
}

const basic = (user: string, key: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`,
});

const BULK = Buffer.from('{"create":{"_index":"logs"}}\n{"message":"ERROR no card","service.name":"shop"}\n');

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** A payload as if it were some minutes old. @param service instead of `payments` */
function recent(payload: object, service = 'payments', minutes = 1): object {
  const shiftMs = Date.now() - minutes * 60_000 - Date.parse('2026-01-31T08:00:00Z');
  const text = JSON.stringify(payload)
    .replaceAll('payments', service)
    .replaceAll(/(2026-01-31)([T ])(\d\d:\d\d:\d\d)/g, (_, day, between, time) => {
      const [newDay, newTime] = new Date(Date.parse(`${day}T${time}Z`) + shiftMs).toISOString().split(/[T.]/);
      return `${newDay}${between}${newTime}`;
    })
    .replaceAll(/\b1769846\d{3}(?:\d{3})?\b/g, (time) =>
      String(Math.round(Number(time) + (time.length > 10 ? shiftMs : shiftMs / 1_000))),
    );
  return JSON.parse(text);
}

/** Posts to the address that is the snippet. */
const toAddress =
  (payload: object): UseSnippet =>
  (snippet) =>
    post(snippet.trim(), recent(payload));

/** The values of lines such as `URL   https://…`. */
const valuesIn = (snippet: string) =>
  snippet
    .trim()
    .split('\n')
    .map((line) => line.split(/\s{2,}/).at(-1) ?? '');

const grafana = () => ({ ...alertNotification(), version: '1' });
const formatted = { alert_uid: 'disk', title: 'the disk is full', state: 'alerting' };
const opsgenie = { message: 'the disk is full', alias: 'disk', entity: 'backup' };

/** The service of the spans that an SDK sends. */
export const SDK_SERVICE = 'checkout';

/** Failed spans by an SDK that reads its environment. */
async function sendSpans(): Promise<void> {
  const exporter = new OTLPTraceExporter();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': SDK_SERVICE }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  for (let number = 0; number < 3; number += 1) {
    const span = provider.getTracer('test').startSpan('POST /pay', { kind: SpanKind.SERVER });
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'refused' });
    span.end();
  }
  await provider.shutdown();
}

const ofSdk: UseSnippet = async (snippet) => {
  const { stdout } = await run('bash', ['-c', `set -a\n${snippet}\nenv`]);
  for (const [, name = '', value = ''] of stdout.matchAll(/^(OTEL_\w+)=(.*)$/gm)) {
    vi.stubEnv(name, value);
  }
  try {
    await sendSpans();
  } finally {
    vi.unstubAllEnvs();
  }
};

const ofCollector: UseSnippet = async (snippet) => {
  const { endpoint, headers } = parse(snippet).exporters['otlphttp/tocsin'];
  await post(`${endpoint}/v1/logs`, { resourceLogs: [] }, headers);
};

const ofPrometheus: UseSnippet = async (snippet) => {
  const [{ scheme, path_prefix: path, authorization, static_configs: hosts }] = parse(snippet).alerting.alertmanagers;
  const [{ labels, annotations, startsAt }] = alertNotification().alerts as [
    ReturnType<typeof alertNotification>['alerts'][0],
  ];
  const url = `${scheme}://${hosts[0].targets[0]}${path}/api/v2/alerts`;
  await post(url, [{ labels, annotations, startsAt }], bearer(authorization.credentials));
};

const ofCollectd: UseSnippet = async (snippet) => {
  const [, url = ''] = /URL "(.+)"/.exec(snippet) ?? [];
  const [, key = ''] = /Bearer (\w+)"/.exec(snippet) ?? [];
  const labels = { alertname: 'collectd_load', instance: 'web-1', service: 'collectd', severity: 'FAILURE' };
  await post(
    url,
    [{ labels, annotations: { summary: 'load is high' }, startsAt: new Date().toISOString() }],
    bearer(key),
  );
};

const ofZabbix = (() => {
  let value = '';
  const parameters: UseSnippet = async (snippet) => {
    const fixture = zabbixEvent('1');
    const names = snippet
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/)[0] ?? '');
    value = JSON.stringify(recent(pick(fixture, names)));
  };
  /** Zabbix' requests are synchronous, so the script is told that it worked before it has. */
  const script: UseSnippet = async (snippet) => {
    const headers: string[] = [];
    const sent: { url: string; body: string }[] = [];
    class HttpRequest {
      addHeader = (header: string) => headers.push(header);
      getStatus = () => 200;
      post = (url: string, body: string) => {
        sent.push({ url, body });
        return '{}';
      };
    }
    runInNewContext(`(function (value) {${snippet}})(value)`, { value, HttpRequest });
    const [{ url, body }] = sent as [{ url: string; body: string }];
    await post(url, JSON.parse(body), Object.fromEntries(headers.map((header) => header.split(': '))));
  };
  return [parameters, script, async () => undefined, async () => undefined];
})();

function pick(fixture: object, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, Object(fixture)[name]]));
}

const ofDatadog = (() => {
  let url = '';
  return [
    async (snippet: string) => {
      url = snippet.trim();
    },
    (snippet: string) => post(url, recent(pick(datadogEvent('Triggered'), Object.keys(JSON.parse(snippet))))),
  ];
})();

const ofArgoCd: UseSnippet = async (snippet) => {
  const { data } = parse(snippet);
  const { url, headers } = parse(data['service.webhook.tocsin']);
  const names = [...data['template.tocsin'].matchAll(/"(\w+)": \{\{/g)].map(([, name]) => name);
  const given = headers.map(({ name, value }: { name: string; value: string }) => [name, value]);
  const body = pick(argoCdNotification('Failed', 'Healthy'), names);
  await post(url, recent(body, 'shop'), Object.fromEntries(given));
};

const ofFlux: UseSnippet = async (snippet) => {
  const [provider] = parseAllDocuments(snippet).map((document) => document.toJS());
  await post(provider.spec.address, recent(fluxEvent('error', 'HealthCheckFailed'), 'search'));
};

/** Deployments are older than the failures that follow. */
const ofGitHub: UseSnippet = (snippet) => post(snippet.trim(), recent(gitHubDeployment('success'), 'payments', 3));

const gitLab = () => recent(gitLabDeployment('success'), 'search', 3);

const ofGitLab: UseSnippet = async (snippet) => {
  const [url = '', token = ''] = valuesIn(snippet);
  await post(url, gitLab(), { 'x-gitlab-token': token });
};

const ofOnCall: UseSnippet = async (snippet) => {
  const bodies = [alertNotification(), grafana(), grafana(), formatted];
  await Promise.all(
    snippet
      .trim()
      .split('\n')
      .map((url, index) => post(url, bodies[index] ?? {})),
  );
};

/** What to do with the snippets of each type, in their order. */
export const SNIPPET_SENDERS: Readonly<Record<IncomingType, readonly UseSnippet[]>> = {
  otlp: [ofSdk, ofCollector],
  alertmanager: [
    async (snippet) => {
      const { url, http_config: http } = parse(snippet).receivers[0].webhook_configs[0];
      await post(url, alertNotification(), bearer(http.authorization.credentials));
    },
    async (snippet) => parse(snippet).alerting.alertmanagers[0].static_configs[0].targets[0],
  ],
  prometheus: [ofPrometheus, ofCollectd, async (snippet) => hasPrometheus && bash(snippet)],
  grafana: [
    async (snippet) => {
      const [url = '', key = ''] = valuesIn(snippet);
      await post(url, grafana(), bearer(key));
    },
    async (snippet) => {
      const {
        url,
        authorization_scheme: scheme,
        authorization_credentials: key,
      } = parse(snippet).contactPoints[0].receivers[0].settings;
      await post(url, grafana(), { authorization: `${scheme} ${key}` });
    },
  ],
  pagerduty_events: [
    async (snippet) => {
      const [url = '', key = ''] = valuesIn(snippet);
      await post(url, { routing_key: key, event_action: 'trigger', payload: { summary: 'full', source: 'backup' } });
    },
    bash,
  ],
  opsgenie: [
    async (snippet) => {
      const { api_url: url, api_key: key } = parse(snippet).receivers[0].opsgenie_configs[0];
      await post(`${url}v2/alerts`, opsgenie, { authorization: `GenieKey ${key}` });
    },
    async (snippet) => {
      const [url = '', key = ''] = valuesIn(snippet);
      await post(`${url}/v2/alerts`, opsgenie, { authorization: `GenieKey ${key}` });
    },
    bash,
  ],
  oncall: [ofOnCall, bash],
  cloudevents: [bash],
  generic: [bash],
  json: [async () => undefined, bash],
  heartbeat: [
    (snippet) => bash(snippet.replace(/^.* && /, '')), // without its schedule and its job
    async (snippet) => post(parse(snippet).receivers[0].webhook_configs[0].url, alertNotification()),
    (snippet) => bash(snippet.replace('<NAME>', 'nightly')),
    bash,
  ],
  sns: [
    async (snippet) =>
      post(snippet.trim(), snsMessage({ Timestamp: new Date().toISOString(), Subject: 'the backup failed' })),
  ],
  datadog: ofDatadog,
  new_relic: [toAddress(newRelicIssue('ACTIVATED'))],
  sentry: [toAddress(sentryIssue('created'))],
  zabbix: ofZabbix,
  uptime_kuma: [toAddress(uptimeKumaEvent(0))],
  github: [ofGitHub],
  gitlab: [ofGitLab, (snippet) => post(snippet.trim(), gitLab())],
  argo_cd: [ofArgoCd],
  flux: [ofFlux],
  loki: [
    (snippet) => {
      const { url, bearer_token: key } = parse(snippet).clients[0];
      return postBytes(url, lokiRequest('{app="shop"}', ['level=error msg="no card"'], new Date()), bearer(key));
    },
    (snippet) => {
      const [, url = '', key = ''] = /url += "(.+)"\n +bearer_token = "(.+)"/.exec(snippet) ?? [];
      return postBytes(url, lokiRequest('{app="shop"}', ['level=error msg="no card"'], new Date()), bearer(key));
    },
    bash,
  ],
  elasticsearch: [
    (snippet) => {
      const { hosts, username, password } = parse(snippet)['output.elasticsearch'];
      return postBytes(`${hosts[0]}/_bulk`, BULK, basic(username, password));
    },
    (snippet) => {
      const { endpoints, auth } = parse(snippet).sinks.tocsin;
      return postBytes(`${endpoints[0]}/_bulk`, BULK, basic(auth.user, auth.password));
    },
    bash,
  ],
  splunk_hec: [
    (snippet) => {
      const { 'splunk-url': origin, 'splunk-token': key } = JSON.parse(snippet)['log-opts'];
      const event = { time: '1769846400.0', event: { line: 'ERROR no card', source: 'stderr', tag: 'shop' } };
      return post(`${origin}/services/collector/event/1.0`, event, { authorization: `Splunk ${key}` });
    },
    (snippet) => {
      const [, host = '', port = '', key = ''] = /host +(\S+)\s+port +(\d+)\s+splunk_token (\S+)/.exec(snippet) ?? [];
      const url = `http://${host}:${port}/services/collector/event`;
      return post(url, { event: { log: 'ERROR no card', app: 'shop' } }, { authorization: `Splunk ${key}` });
    },
    bash,
  ],
  remote_write: [
    (snippet) => {
      const { url, authorization } = parse(snippet).remote_write[0];
      const labels = { __name__: 'up', job: 'shop' };
      return postBytes(url, writeRequest([{ labels, samples: [[1, Date.now()]] }]), bearer(authorization.credentials));
    },
  ],
  syslog: [
    async (snippet) => /^SYSLOG_PORT=\d+\nSYSLOG_KEY=tcn_in_\w+$/.test(snippet.trim()),
    async (snippet) => /target="[\w.]+" port="5514"/.test(snippet),
    (snippet) =>
      postBytes(/'(.+)'/.exec(snippet)?.[1] ?? '', Buffer.from('62 <11>1 - h router - - - a port is down'), {}),
    bash,
  ],
};
