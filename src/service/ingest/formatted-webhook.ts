import { z } from 'zod';
import type { SignalBatch } from '../core/signal.ts';
import { fingerprint, template } from '../core/text.ts';
import { toSignal } from './alert.ts';
import { labelsInText } from './label-text.ts';

const text = z.string().nullish();

const KEY_LIMIT = 512;

/** The body of OnCall's integration `formatted_webhook` (grafana/oncall, `config_integrations`, 2026-01). */
export const FormattedWebhook = z.object({
  alert_uid: z.string().max(KEY_LIMIT).nullish(),
  title: z.string().trim().min(1),
  message: text,
  state: text,
  link_to_upstream_details: text,
  image_url: text,
  service: text,
  labels: z.record(z.string(), z.string()).nullish(),
});
export type FormattedWebhook = z.infer<typeof FormattedWebhook>;

/**
 * The body of OnCall's integration `webhook`, which takes any object (grafana/oncall, `config_integrations`, read on
 * 2026-11-25): what it has of a formatted webhook is read, and its other texts and numbers are labels.
 */
export const AnyWebhook = z.record(z.string(), z.unknown()).transform((body): FormattedWebhook => {
  const labels = Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
  );
  const texts = Object.fromEntries(labels);
  const title = [texts.title, texts.message].find((text) => text !== undefined && text.trim() !== '');
  return {
    alert_uid: texts.alert_uid?.slice(0, KEY_LIMIT),
    title: title ?? 'a webhook without a title',
    message: texts.message,
    state: texts.state,
    link_to_upstream_details: texts.link_to_upstream_details ?? texts.url,
    image_url: texts.image_url,
    service: texts.service,
    labels: texts,
  };
});

/** The state `ok` ends the alert with the same `alert_uid`; any other begins it. */
export function readFormattedWebhook(alert: FormattedWebhook, sender: string, now: Date): SignalBatch {
  const { alert_uid, title, message, state, link_to_upstream_details: page, image_url, service } = alert;
  const ofAlert = fingerprint('oncall', sender, alert_uid || template(title));
  if (state?.trim().toLowerCase() === 'ok') {
    return { signals: [], ends: [{ fingerprint: ofAlert, endedAt: now }] };
  }
  const labels = { ...labelsInText(message), ...alert.labels };
  const signal = toSignal({
    services: [service],
    labels,
    otherwise: { 'the title': title },
    summary: title,
    severity: 'error',
    observedAt: now,
    fingerprint: ofAlert,
    attributes: { ...labels, message, state, image_url },
    pages: [{ kind: 'generator', url: page }],
    reportsEnd: true,
    source: { format: 'oncall' },
  });
  return { signals: [signal] };
}
