import { reading, type WebhookFormat } from '../format.ts';
import { ArgoCdNotification, readArgoCdNotification } from './argo-cd.ts';

export const ARGO_CD = {
  words: 'Argo CD',
  setUp: ({ url, key }) => [{ title: 'argocd-notifications-cm: YAML', text: argoCdYaml(url, key) }],
  webhook: {
    operationId: 'sendArgoCdNotification',
    what: 'a notification of Argo CD',
    ...reading(ArgoCdNotification, readArgoCdNotification),
  },
} satisfies WebhookFormat;

function argoCdYaml(url: string, key: string): string {
  return `data:
  service.webhook.tocsin: |
    url: ${url}
    headers:
      - name: Authorization
        value: Bearer ${key}
      - name: Content-Type
        value: application/json
  template.tocsin: |
    webhook:
      tocsin:
        method: POST
        body: |
          {
            "app": {{toJson .app.metadata.name}},
            "project": {{toJson .app.spec.project}},
            "phase": {{with .app.status.operationState}}{{toJson .phase}}{{else}}null{{end}},
            "health": {{with .app.status.health}}{{toJson .status}}{{else}}null{{end}},
            "revision": {{with .app.status.operationState}}{{with .syncResult}}{{toJson (or .revision .revisions)}}{{else}}null{{end}}{{else}}null{{end}},
            "message": {{with .app.status.operationState}}{{toJson .message}}{{else}}null{{end}},
            "finished_at": {{with .app.status.operationState}}{{toJson .finishedAt}}{{else}}null{{end}},
            "url": {{toJson (printf "%s/applications/%s" .context.argocdUrl .app.metadata.name)}}
          }
  trigger.tocsin: |
    - when: app.status.operationState != nil and app.status.operationState.phase in ['Succeeded']
      send: [tocsin]
    - when: app.status.operationState != nil and app.status.operationState.phase in ['Error', 'Failed']
      send: [tocsin]
    - when: app.status.health.status == 'Degraded'
      send: [tocsin]
    - when: app.status.health.status == 'Healthy'
      send: [tocsin]
  # Of all applications. If you have subscriptions already, add this entry to them.
  subscriptions: |
    - recipients: [tocsin]
      triggers: [tocsin]
`;
}
