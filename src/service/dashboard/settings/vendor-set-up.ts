import { VENDOR_PATHS } from '../../../contract/vendors.ts';
import type { Snippet } from './set-up-snippets.ts';

export type Vendor = keyof typeof VENDOR_PATHS;

export const VENDOR_WORDS: Readonly<Record<Vendor, string>> = {
  sns: 'Amazon SNS and CloudWatch',
  datadog: 'Datadog',
  new_relic: 'New Relic',
  sentry: 'Sentry',
  zabbix: 'Zabbix',
  uptime_kuma: 'Uptime Kuma',
  github: 'GitHub (deployments)',
  gitlab: 'GitLab (deployments)',
  argo_cd: 'Argo CD',
  flux: 'Flux',
};

export function isVendor(type: string): type is Vendor {
  return Object.hasOwn(VENDOR_PATHS, type);
}

/** @param url with the path of the vendor */
export function vendorSnippets(type: Vendor, url: string, key: string): Snippet[] {
  const address = `${url}?token=${key}`;
  switch (type) {
    case 'sns':
      return [{ title: 'Topic: create a subscription, protocol HTTPS, endpoint', text: address }];
    case 'datadog':
      return [
        { title: 'Integrations: Webhooks: URL', text: address },
        { title: 'Payload', text: DATADOG_PAYLOAD },
      ];
    case 'new_relic':
      return [{ title: 'Alerts: Destinations: Webhook: endpoint URL; keep the default template', text: address }];
    case 'sentry':
      return [{ title: 'Custom integrations: Internal integration: webhook URL', text: address }];
    case 'zabbix':
      return [
        { title: 'Alerts: Media types: Webhook: parameters', text: ZABBIX_PARAMETERS },
        { title: 'Script', text: zabbixScript(url, key) },
        { title: 'Message templates: Problem, Problem recovery (and Service): message', text: '{EVENT.NAME}' },
        {
          title: 'Alerts: Actions: operation for a user with this media; recovery operation',
          text: 'Notify all involved',
        },
      ];
    case 'uptime_kuma':
      return [{ title: 'Notifications: Webhook, request body application/json: post URL', text: address }];
    case 'github':
      return [{ title: 'Settings: Webhooks: payload URL, content type application/json', text: address }];
    case 'gitlab':
      return [
        { title: 'Settings: Webhooks: URL and secret token', text: `URL           ${url}\nsecret token  ${key}` },
        { title: 'URL, if you give its signing token to this integration', text: address },
      ];
    case 'argo_cd':
      return [{ title: 'argocd-notifications-cm: YAML', text: argoCdYaml(url, key) }];
    case 'flux':
      return [{ title: 'Provider and Alert: YAML', text: fluxYaml(address) }];
  }
}

const DATADOG_PAYLOAD = `{
  "id": "$ID",
  "title": "$EVENT_TITLE",
  "body": "$TEXT_ONLY_MSG",
  "date": "$DATE",
  "event_type": "$EVENT_TYPE",
  "transition": "$ALERT_TRANSITION",
  "alert_type": "$ALERT_TYPE",
  "alert_id": "$ALERT_ID",
  "cycle_key": "$ALERT_CYCLE_KEY",
  "aggregation_key": "$AGGREG_KEY",
  "priority": "$ALERT_PRIORITY",
  "tags": "$TAGS",
  "hostname": "$HOSTNAME",
  "scope": "$ALERT_SCOPE",
  "link": "$LINK"
}
`;

const ZABBIX_PARAMETERS = `event_id             {EVENT.ID}
event_value          {EVENT.VALUE}
event_update_status  {EVENT.UPDATE.STATUS}
event_name           {EVENT.NAME}
event_nseverity      {EVENT.NSEVERITY}
event_timestamp      {EVENT.TIMESTAMP}
event_tags           {EVENT.TAGSJSON}
event_opdata         {EVENT.OPDATA}
host_name            {HOST.NAME}
trigger_id           {TRIGGER.ID}
trigger_url          {TRIGGER.URL}
service_name         {SERVICE.NAME}
`;

function zabbixScript(url: string, key: string): string {
  return `var request = new HttpRequest();
request.addHeader('Content-Type: application/json');
request.addHeader('Authorization: Bearer ${key}');
var answer = request.post('${url}', value);
if (request.getStatus() !== 200) {
  throw 'Tocsin answered ' + request.getStatus() + ': ' + answer;
}
return 'OK';
`;
}

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
