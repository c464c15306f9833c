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
import { alertNotification } from './alert-notification.ts';
import { hasPrometheus } from './prometheus.ts';
import { snsMessage } from './sns-sender.ts';
import * as payloads from './vendor-payloads.ts';

/** Does what a person does with a snippet of an integration's page, and sends what its product sends. */
export type UseSnippet = (snippet: string) => Promise<unknown>;

const run = promisify(execFile);

const bash: UseSnippet = (snippet) => run('bash', ['-c', snippet], { timeout: 60_000 });

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

const ofZabbix = (() => {
  let value = '';
  const parameters: UseSnippet = async (snippet) => {
    const fixture = payloads.zabbixEvent('1');
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
    (snippet: string) => post(url, recent(pick(payloads.datadogEvent('Triggered'), Object.keys(JSON.parse(snippet))))),
  ];
})();

const ofArgoCd: UseSnippet = async (snippet) => {
  const { data } = parse(snippet);
  const { url, headers } = parse(data['service.webhook.tocsin']);
  const names = [...data['template.tocsin'].matchAll(/"(\w+)": \{\{/g)].map(([, name]) => name);
  const given = headers.map(({ name, value }: { name: string; value: string }) => [name, value]);
  const body = pick(payloads.argoCdNotification('Failed', 'Healthy'), names);
  await post(url, recent(body, 'shop'), Object.fromEntries(given));
};

const ofFlux: UseSnippet = async (snippet) => {
  const [provider] = parseAllDocuments(snippet).map((document) => document.toJS());
  await post(provider.spec.address, recent(payloads.fluxEvent('error', 'HealthCheckFailed'), 'search'));
};

/** Deployments are older than the failures that follow. */
const ofGitHub: UseSnippet = (snippet) =>
  post(snippet.trim(), recent(payloads.gitHubDeployment('success'), 'payments', 3));

const gitLab = () => recent(payloads.gitLabDeployment('success'), 'search', 3);

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
  prometheus: [ofPrometheus, async (snippet) => hasPrometheus && bash(snippet)],
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
  new_relic: [toAddress(payloads.newRelicIssue('ACTIVATED'))],
  sentry: [toAddress(payloads.sentryIssue('created'))],
  zabbix: ofZabbix,
  uptime_kuma: [toAddress(payloads.uptimeKumaEvent(0))],
  github: [ofGitHub],
  gitlab: [ofGitLab, (snippet) => post(snippet.trim(), gitLab())],
  argo_cd: [ofArgoCd],
  flux: [ofFlux],
};
