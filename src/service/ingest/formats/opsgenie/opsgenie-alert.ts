import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SignalBatch } from '../../../core/signal.ts';
import { fingerprint, template } from '../../../core/text.ts';
import { severityNamed, severityOfPriority, toSignal } from '../../alert.ts';
import { labelsInText } from '../../label-text.ts';

/** Opsgenie's limits of lists; longer texts are cut when they are kept. */
const LIMITS = { alias: 512, tags: 20, details: 200 } as const;

const text = z.string().nullish();

/**
 * The body of "Create Alert" (docs.opsgenie.com, "Alert API", 2025-06). Only `message` is required, as there. Responders
 * and actions are ignored: Tocsin's rules say who is told.
 */
export const OpsgenieAlert = z.object({
  message: z.string().trim().min(1),
  alias: z.string().max(LIMITS.alias).nullish(),
  description: text,
  details: z
    .record(z.string(), z.unknown())
    .nullish()
    .refine(
      (details) => Object.keys(details ?? {}).length <= LIMITS.details,
      `must have at most ${LIMITS.details} entries`,
    ),
  tags: z.array(z.string()).max(LIMITS.tags).nullish(),
  entity: text,
  source: text,
  priority: text,
  user: text,
  note: text,
});
export type OpsgenieAlert = z.infer<typeof OpsgenieAlert>;

/** An alert without an alias gets one derived from its content, so that repeats fold. */
export function aliasOf({ alias, message, entity, source }: OpsgenieAlert): string {
  const content = JSON.stringify([entity, source, template(message)]);
  return alias || createHash('sha256').update(content).digest('hex').slice(0, 32);
}

/** Fingerprint of an alert's signal. @param sender separates the aliases of different senders */
export function opsgenieFingerprint(sender: string, alias: string): string {
  return fingerprint('opsgenie', sender, alias);
}

/** A created alert becomes a signal. */
export function readOpsgenieAlert(alert: OpsgenieAlert, sender: string, now: Date): SignalBatch {
  const { message, entity, source, priority, description, tags, user, note } = alert;
  const details = Object.fromEntries(
    Object.entries(alert.details ?? {}).flatMap(([name, value]) =>
      value === null ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)] as const],
    ),
  );
  const labels = { ...labelsInText(description), ...tagsAsLabels(tags ?? []), ...details };
  const sourceUrl = URL.canParse(source ?? '') ? source : undefined;
  const signal = toSignal({
    services: [entity],
    labels,
    otherwise: {
      "the alert's name": labels.alertname,
      'the source': sourceUrl === undefined ? source : undefined,
      'the message': message,
    },
    summary: message.replace(/^\[FIRING(?::\d+)?\] */, ''),
    severity: severityOfPriority(priority) ?? severityNamed(labels.severity ?? 'warning'), // P3 is the default
    observedAt: now,
    fingerprint: opsgenieFingerprint(sender, aliasOf(alert)),
    attributes: { ...labels, tags: tags?.join(', '), description, entity, user, note },
    pages: [{ kind: 'generator', url: sourceUrl }],
    reportsEnd: true,
    source: { format: 'opsgenie', source, priority },
  });
  return { signals: [signal] };
}

/** A closed or deleted alert ends its signal. */
export function endOpsgenieAlert(alias: string, sender: string, now: Date): SignalBatch {
  return { signals: [], ends: [{ fingerprint: opsgenieFingerprint(sender, alias), endedAt: now }] };
}

/** `env:prod`, `team=payments` */
function tagsAsLabels(tags: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    tags.flatMap((tag) => {
      const [, name, value] = /^([\w.-]{1,64})[:=](.+)$/.exec(tag) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}
