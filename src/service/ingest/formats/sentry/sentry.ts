import { z } from 'zod';
import type { Severity } from '../../../../contract/resources.ts';
import type { SignalBatch } from '../../../core/signal.ts';
import { fingerprint } from '../../../core/text.ts';
import { severityNamed, toSignal } from '../../alert.ts';
import { NOTHING, Text, Texts, timeOf } from '../../vendor-values.ts';

const Project = z.object({ slug: Text, name: Text }).catch({ slug: '', name: '' });

const Issue = z.object({
  id: Text,
  shortId: Text,
  title: Text,
  culprit: Text,
  level: Text,
  permalink: Text,
  web_url: Text,
  lastSeen: Text,
  project: Project,
});

const Event = z.object({
  issue_id: Text,
  title: Text,
  culprit: Text,
  level: Text,
  web_url: Text,
  datetime: Text,
  environment: Text,
  /** An address of the API: `…/projects/<organisation>/<project>/events/…`. Nothing else names the project. */
  url: Text,
  /** Only the plugin "WebHooks" sends it. */
  project_slug: Text,
  /** Pairs of a name and a value. */
  tags: z.array(z.tuple([Text, Text])).catch([]),
});

const MetricAlert = z.object({
  id: Text,
  identifier: Text,
  date_started: Text,
  projects: Texts,
  alert_rule: z
    .object({ name: Text, environment: Text, projects: Texts })
    .catch({ name: '', environment: '', projects: [] }),
});

/**
 * What the older plugin "WebHooks" sends for an issue alert (getsentry/sentry, `plugins/sentry_webhooks/plugin.py`, read on
 * 2026-11-26). It reports no end.
 */
const PluginHook = z.object({
  id: Text,
  project_slug: z.string().min(1),
  level: Text,
  culprit: Text,
  message: Text,
  url: Text,
  triggering_rules: Texts,
  event: z.record(z.string(), z.unknown()).catch({}),
});

/** The same in the form of the integration platform; anything else stays as it is. */
function withPlugin(sent: unknown): unknown {
  const { data: hook } = PluginHook.safeParse(sent);
  if (hook === undefined) {
    return sent;
  }
  const { id, message, url, triggering_rules: rules, event, ...about } = hook;
  const title = Text.parse(event.title) || message;
  const ofIssue = { ...event, ...about, issue_id: id, title, web_url: url, url: '' };
  return { action: 'triggered', data: { event: ofIssue, triggered_rule: rules[0] } };
}

/**
 * A webhook of Sentry's integration platform: issues, issue alerts and metric alerts (docs.sentry.io, "Integration
 * Platform: Webhooks"). The header `Sentry-Hook-Resource` says which.
 */
const PlatformHook = z.object({
  action: Text,
  data: z.object({
    issue: Issue.optional(),
    event: Event.optional(),
    triggered_rule: Text,
    metric_alert: MetricAlert.optional(),
    description_text: Text,
    description_title: Text,
    web_url: Text,
  }),
});

export const SentryHook = z.preprocess(withPlugin, PlatformHook);
export type SentryHook = z.infer<typeof SentryHook>;
type HookData = SentryHook['data'];

/** Other resources, such as comments and installations, are accepted and ignored. */
export function readSentryHook({ action, data }: SentryHook, now: Date): SignalBatch {
  if (data.metric_alert !== undefined) {
    return readMetricAlert(action, data, data.metric_alert, now);
  }
  if (data.issue !== undefined) {
    return readIssue(action, data.issue, now);
  }
  return data.event !== undefined && action === 'triggered' ? readEvent(data, data.event, now) : NOTHING;
}

function ofIssue(id: string): string {
  return fingerprint('alert', 'sentry issue', id);
}

function readIssue(action: string, issue: z.infer<typeof Issue>, now: Date): SignalBatch {
  if (/^(resolved|archived|ignored)$/.test(action)) {
    return { signals: [], ends: [{ fingerprint: ofIssue(issue.id), endedAt: now }] };
  }
  if (action !== 'created' && action !== 'unresolved') {
    return NOTHING;
  }
  const signal = toSignal({
    services: [issue.project.slug, issue.project.name],
    summary: issue.title || issue.culprit || 'an issue of Sentry',
    severity: severityOf(issue.level),
    observedAt: action === 'created' ? timeOf(issue.lastSeen, now) : now,
    seenAt: now,
    fingerprint: ofIssue(issue.id),
    attributes: { culprit: issue.culprit, level: issue.level, issue: issue.shortId },
    pages: [{ kind: 'generator', url: issue.web_url || issue.permalink }],
    reportsEnd: true,
    source: { format: 'sentry', resource: 'issue' },
  });
  return { signals: [signal] };
}

/** The same issue as in `readIssue`, so that its resolution ends both, if Sentry sends that too. */
function readEvent({ triggered_rule: rule }: HookData, event: z.infer<typeof Event>, now: Date): SignalBatch {
  const tags = Object.fromEntries(event.tags);
  const signal = toSignal({
    services: [tags.service, projectOf(event), tags.project, tags.server_name, rule],
    summary: event.title || rule || 'an event of Sentry',
    severity: severityOf(event.level),
    observedAt: timeOf(event.datetime, now),
    fingerprint: ofIssue(event.issue_id),
    attributes: { ...tags, culprit: event.culprit, rule, environment: event.environment },
    pages: [{ kind: 'generator', url: event.web_url }],
    reportsEnd: false,
    source: { format: 'sentry', resource: 'event_alert' },
  });
  return { signals: [signal] };
}

function projectOf({ project_slug: slug, url }: z.infer<typeof Event>): string | undefined {
  return slug || /\/projects\/[^/]+\/([^/]+)\//.exec(url)?.[1];
}

function readMetricAlert(
  action: string,
  { description_text: text, description_title: title, web_url: url }: HookData,
  alert: z.infer<typeof MetricAlert>,
  now: Date,
): SignalBatch {
  const ofAlert = fingerprint('alert', 'sentry metric', alert.id || alert.identifier);
  if (action === 'resolved') {
    return { signals: [], ends: [{ fingerprint: ofAlert, endedAt: now }] };
  }
  const signal = toSignal({
    services: [alert.projects[0], alert.alert_rule.projects[0], alert.alert_rule.name],
    summary: title || alert.alert_rule.name || 'a metric alert of Sentry',
    severity: severityNamed(action),
    observedAt: timeOf(alert.date_started, now),
    seenAt: now,
    fingerprint: ofAlert,
    attributes: { rule: alert.alert_rule.name, description: text, environment: alert.alert_rule.environment },
    pages: [{ kind: 'generator', url }],
    reportsEnd: true,
    source: { format: 'sentry', resource: 'metric_alert' },
  });
  return { signals: [signal] };
}

/** Sentry calls crashes fatal. Less than an error does not open an incident by itself. */
function severityOf(level: string): Severity {
  return level === 'debug' || level === 'sample' ? 'info' : severityNamed(level);
}
