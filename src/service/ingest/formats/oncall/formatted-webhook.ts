import { z } from 'zod';
import type { SignalBatch } from '../../../core/signal.ts';
import { fingerprint, template } from '../../../core/text.ts';
import { toSignal } from '../../alert.ts';
import { labelsInText } from '../../label-text.ts';
import { Text } from '../../vendor-values.ts';

const KEY_LIMIT = 512;

/**
 * The body of OnCall's integration `formatted_webhook` (grafana/oncall, `config_integrations`, 2026-01). Senders of OnCall's
 * types `zabbix` and `elastalert` have the same fields.
 */
export const FormattedWebhook = z.object({
  alert_uid: Text.pipe(z.string().max(KEY_LIMIT)),
  title: Text,
  message: Text,
  /** `alerting` or `ok`. */
  state: Text,
  link_to_upstream_details: Text,
  image_url: Text,
  service: Text,
  labels: z.record(z.string(), Text).catch({}),
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
  const alert = FormattedWebhook.parse({ ...texts, alert_uid: texts.alert_uid?.slice(0, KEY_LIMIT), labels: texts });
  return { ...alert, link_to_upstream_details: alert.link_to_upstream_details || (texts.url ?? '') };
});

const UNTITLED = 'a webhook without a title';

/** The state `ok` ends the alert with the same `alert_uid`; any other begins it. */
export function readFormattedWebhook(alert: FormattedWebhook, sender: string, now: Date): SignalBatch {
  const { alert_uid, message, state, link_to_upstream_details: page, image_url, service } = alert;
  const title = [alert.title, message].find((text) => text.trim() !== '') ?? UNTITLED;
  const ofAlert = fingerprint('oncall', sender, alert_uid || template(title));
  if (state.trim().toLowerCase() === 'ok') {
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
