import type { z } from 'zod';
import type { SIGNING_VENDORS, VENDOR_PATHS } from '../../contract/vendors.ts';
import type { SignalBatch } from '../core/signal.ts';
import { INGEST_LIMITS } from '../ingest/limits.ts';
import { ArgoCdNotification, readArgoCdNotification } from '../ingest/vendors/argo-cd.ts';
import { DatadogEvent, readDatadogEvent } from '../ingest/vendors/datadog.ts';
import { FluxEvent, readFluxEvent } from '../ingest/vendors/flux.ts';
import { GitHubEvent, readGitHubEvent } from '../ingest/vendors/github.ts';
import { GitLabEvent, readGitLabEvent } from '../ingest/vendors/gitlab.ts';
import { NewRelicIssue, readNewRelicIssue } from '../ingest/vendors/new-relic.ts';
import { readSentryHook, SentryHook } from '../ingest/vendors/sentry.ts';
import { readUptimeKumaEvent, UptimeKumaEvent } from '../ingest/vendors/uptime-kuma.ts';
import { readZabbixEvent, ZabbixEvent } from '../ingest/vendors/zabbix.ts';
import { decodeJson, decodeJsonOrForm, FORM_TYPE, thenRead } from './ingest-body.ts';
import type { IngestFormat } from './ingest-formats.ts';
import { hexSignature, type SignatureScheme, STANDARD_WEBHOOK } from './signed-body.ts';

/** SNS has a route of its own, because its signatures need a certificate. */
type Vendor = Exclude<keyof typeof VENDOR_PATHS, 'sns'>;

const SIGNATURES: Readonly<Record<(typeof SIGNING_VENDORS)[number], SignatureScheme>> = {
  github: hexSignature('x-hub-signature-256', 'sha256='),
  gitlab: STANDARD_WEBHOOK,
  sentry: hexSignature('sentry-hook-signature'),
  flux: hexSignature('x-signature', 'sha256='),
};

/** Formats of products, each one JSON object. */
export const VENDOR_FORMATS: Readonly<Record<Vendor, IngestFormat>> = {
  datadog: vendor('sendDatadogEvent', "an event of Datadog's webhooks", DatadogEvent, readDatadogEvent),
  new_relic: vendor('sendNewRelicIssue', 'an issue of New Relic', NewRelicIssue, readNewRelicIssue),
  sentry: {
    ...vendor('sendSentryHook', "a webhook of Sentry's integration platform", SentryHook, readSentryHook),
    signature: SIGNATURES.sentry,
  },
  zabbix: vendor('sendZabbixEvent', 'an event of Zabbix', ZabbixEvent, readZabbixEvent),
  uptime_kuma: vendor('sendUptimeKumaEvent', 'a notification of Uptime Kuma', UptimeKumaEvent, readUptimeKumaEvent),
  github: {
    ...vendor('sendGitHubEvent', 'a deployment or release of GitHub', GitHubEvent, readGitHubEvent),
    content: {
      'application/json': { schema: { type: 'object' } },
      [FORM_TYPE]: { schema: { type: 'object', properties: { payload: { type: 'string' } }, required: ['payload'] } },
    },
    decode: (headers, now) => thenRead(decodeJsonOrForm(GitHubEvent, headers), (event) => readGitHubEvent(event, now)),
    signature: SIGNATURES.github,
  },
  gitlab: {
    ...vendor('sendGitLabEvent', 'a deployment or release of GitLab', GitLabEvent, readGitLabEvent),
    signature: SIGNATURES.gitlab,
  },
  argo_cd: vendor('sendArgoCdNotification', 'a notification of Argo CD', ArgoCdNotification, readArgoCdNotification),
  flux: {
    ...vendor('sendFluxEvent', "an event of Flux's notification controller", FluxEvent, readFluxEvent),
    signature: SIGNATURES.flux,
  },
};

function vendor<Schema extends z.ZodType>(
  operationId: string,
  what: string,
  schema: Schema,
  read: (body: z.output<Schema>, now: Date) => SignalBatch,
): IngestFormat {
  return {
    operationId,
    summary: `Send ${what}`,
    content: { 'application/json': { schema: { type: 'object' } } },
    maxBytes: INGEST_LIMITS.eventsBytes,
    decode: (headers, now) => {
      const decode = decodeJson(schema, headers);
      return function* (body) {
        const parsed = yield* decode(body);
        yield;
        return read(parsed, now);
      };
    },
  };
}
