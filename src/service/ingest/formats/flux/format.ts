import { hexSignature } from '../../signature-scheme.ts';
import { reading, type WebhookFormat } from '../format.ts';
import { FluxEvent, readFluxEvent } from './flux.ts';

export const FLUX = {
  words: 'Flux',
  setUp: ({ url, key }) => [{ title: 'Provider and Alert: YAML', text: fluxYaml(`${url}?token=${key}`) }],
  webhook: {
    operationId: 'sendFluxEvent',
    what: "an event of Flux's notification controller",
    ...reading(FluxEvent, readFluxEvent),
    signature: hexSignature('x-signature', 'sha256='),
  },
} satisfies WebhookFormat;

function fluxYaml(address: string): string {
  return `apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Provider
metadata: { name: tocsin, namespace: flux-system }
spec:
  type: generic
  address: ${address}
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Alert
metadata: { name: tocsin, namespace: flux-system }
spec:
  providerRef: { name: tocsin }
  eventSeverity: info
  eventSources:
    - { kind: Kustomization, name: '*' }
    - { kind: HelmRelease, name: '*' }
`;
}
