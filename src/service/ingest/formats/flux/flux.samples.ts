/** Written by hand from the references that the decoder names, read on 2026-11-23 or when it says. Names and ids are made up. */

/** fluxcd/kustomize-controller, `internal/controller/kustomization_controller.go`, read on 2026-11-25. */
const FLUX_MESSAGES: Readonly<Record<string, string>> = {
  HealthCheckFailed: 'health check failed: Deployment/payments',
  BuildFailed: 'kustomize build failed: no such file',
  Progressing: 'Deployment/shop/payments configured',
};

export const fluxEvent = (
  severity: 'info' | 'error',
  reason: string,
  message = FLUX_MESSAGES[reason] ?? 'reconciliation finished in 5s',
) => ({
  involvedObject: {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    name: 'payments',
    namespace: 'flux-system',
    uid: '7d0cdc51-ddcf-4743-b223-83ca5c699632',
  },
  severity,
  timestamp: '2026-01-31T08:00:00Z',
  message,
  reason,
  reportingController: 'kustomize-controller',
  reportingInstance: 'kustomize-controller-7c5',
  metadata: { revision: 'main@sha1:f95f852bd8fca8fcc58a9a2d6c842781e32a215e' },
});
