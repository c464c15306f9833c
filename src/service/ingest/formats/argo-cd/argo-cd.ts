import { z } from 'zod';
import type { SignalBatch } from '../../../core/signal.ts';
import { fingerprint } from '../../../core/text.ts';
import { toSignal } from '../../alert.ts';
import { deployment, shortRevision, Text, timeOf } from '../../vendor-values.ts';

/** An application with several sources has `revisions` instead of `revision`. */
const Revision = z.preprocess(
  (sent) => (Array.isArray(sent) ? sent.map(String).map(shortRevision).join(' ') : sent),
  Text,
);

/**
 * What the template of docs/senders.md sends: fields of an Application (argoproj/argo-cd,
 * `docs/operator-manual/notifications`: services/webhook.md, triggers.md and subscriptions.md, read on 2026-11-25).
 */
export const ArgoCdNotification = z.object({
  app: z.string().trim().min(1),
  project: Text,
  /** `status.operationState.phase` */
  phase: Text,
  /** `status.health.status` */
  health: Text,
  revision: Revision,
  message: Text,
  finished_at: Text,
  url: Text,
});
export type ArgoCdNotification = z.infer<typeof ArgoCdNotification>;

/** A finished synchronisation is a deployment and ends the alert, if the application is healthy. */
export function readArgoCdNotification(sent: ArgoCdNotification, now: Date): SignalBatch {
  const ofApp = fingerprint('alert', 'argo cd', sent.project, sent.app);
  const hasFailed = sent.phase === 'Failed' || sent.phase === 'Error';
  if (hasFailed || sent.health === 'Degraded') {
    const signal = toSignal({
      services: [sent.app],
      summary: hasFailed ? `synchronisation failed: ${sent.message}` : `${sent.app} is degraded`,
      severity: 'error',
      observedAt: now,
      fingerprint: ofApp,
      attributes: { project: sent.project, revision: sent.revision, message: sent.message, health: sent.health },
      pages: [{ kind: 'generator', url: sent.url }],
      reportsEnd: true,
      source: { format: 'argo_cd' },
    });
    return { signals: [signal] };
  }
  const ends = sent.health === 'Healthy' ? [{ fingerprint: ofApp, endedAt: now }] : [];
  return sent.phase === 'Succeeded'
    ? { ...deployment(sent.app, shortRevision(sent.revision), timeOf(sent.finished_at, now)), ends }
    : { signals: [], ends };
}
