import { z } from 'zod';
import type { SignalBatch } from '../../../core/signal.ts';
import { fingerprint } from '../../../core/text.ts';
import { toSignal } from '../../alert.ts';
import { deployment, NOTHING, shortRevision, Text, timeOf } from '../../vendor-values.ts';

/**
 * An event of Flux's notification controller, providers `generic` and `generic-hmac` (fluxcd/notification-controller,
 * `docs/spec/v1beta3/providers.md`, and the events that fluxcd/kustomize-controller emits, read on 2026-11-25).
 */
export const FluxEvent = z.object({
  involvedObject: z.object({ kind: Text, namespace: Text, name: z.string().min(1) }),
  severity: Text,
  timestamp: Text,
  message: Text,
  reason: Text,
  metadata: z.record(z.string(), Text).catch({}),
});
export type FluxEvent = z.infer<typeof FluxEvent>;

const SUCCESSES: ReadonlySet<string> = new Set([
  'ReconciliationSucceeded',
  'InstallSucceeded',
  'UpgradeSucceeded',
  'RollbackSucceeded',
]);
/**
 * A Kustomization's `ReconciliationSucceeded` is a commit status, which these providers do not get. They get two events with
 * this reason: what was applied, if anything changed, and that a health check passed after one that had not.
 */
const PROGRESSING = 'Progressing';
const HEALTH_PASSED = /^health check passed/i;
const HEALTH_FAILED = 'HealthCheckFailed';
/** Reason of a HelmRelease whose tests passed after a deployment. */
const TEST_PASSED = 'TestSucceeded';

/** Kinds that run something; sources and images do not. */
const DEPLOYING: ReadonlySet<string> = new Set(['Kustomization', 'HelmRelease']);

export function readFluxEvent(event: FluxEvent, now: Date): SignalBatch {
  const { kind, namespace, name } = event.involvedObject;
  const ofObject = fingerprint('alert', 'flux', kind, namespace, name);
  // Something applied says nothing about the health of what runs.
  const ofHealth = fingerprint('alert', 'flux health', kind, namespace, name);
  const at = timeOf(event.timestamp, now);
  if (event.severity === 'error') {
    const signal = toSignal({
      services: [name],
      summary: `${event.reason || kind}: ${event.message}`,
      severity: 'error',
      observedAt: at,
      fingerprint: event.reason === HEALTH_FAILED ? ofHealth : ofObject,
      attributes: { ...event.metadata, kind, namespace, reason: event.reason, message: event.message },
      reportsEnd: true,
      source: { format: 'flux', kind },
    });
    return { signals: [signal] };
  }
  const isHealthy = event.reason === TEST_PASSED || (event.reason === PROGRESSING && HEALTH_PASSED.test(event.message));
  const isApplied = event.reason === PROGRESSING && kind === 'Kustomization' && !isHealthy;
  if (!SUCCESSES.has(event.reason) && !isHealthy && !isApplied) {
    return NOTHING;
  }
  const over = isApplied ? [ofObject] : [ofObject, ofHealth];
  const ends = over.map((each) => ({ fingerprint: each, endedAt: at }));
  if (isHealthy) {
    return { signals: [], ends };
  }
  const revision = revisionOf(event.metadata);
  return DEPLOYING.has(kind) && revision !== '' ? { ...deployment(name, revision, at), ends } : { signals: [], ends };
}

/** `main@sha1:…` of `kustomize.toolkit.fluxcd.io/revision`, or the version of a chart. */
function revisionOf(metadata: Readonly<Record<string, string>>): string {
  const [, revision = ''] = Object.entries(metadata).find(([key]) => /(^|\/)revision$/.test(key)) ?? [];
  return shortRevision(revision.replace(/^.*@?sha\d+:/, ''));
}
