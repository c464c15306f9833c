import type { IncomingFormat } from '../format.ts';

export const HEARTBEAT = {
  words: 'Heartbeat',
  setUp: ({ publicUrl, url, key }) => [
    {
      title: 'cron: after the job',
      text: `0 3 * * * /usr/local/bin/backup && curl -fsS --retry 5 -o /dev/null '${url}?token=${key}'`,
    },
    { title: 'Alertmanager, for the alert Watchdog of Prometheus: YAML', text: watchdogYaml(`${url}?token=${key}`) },
    {
      title: 'Opsgenie: heartbeat',
      text: `curl -fsS -H 'Authorization: GenieKey ${key}' ${publicUrl}/v2/heartbeats/<NAME>/ping`,
    },
    {
      title: 'Grafana OnCall: heartbeat',
      text: `curl -fsS -X POST ${publicUrl}/integrations/v1/webhook/${key}/heartbeat/`,
    },
  ],
} satisfies IncomingFormat;

function watchdogYaml(url: string): string {
  return `route:
  routes:
    - matchers: [alertname="Watchdog"]
      receiver: tocsin-heartbeat
      group_wait: 0s
      group_interval: 30s
      repeat_interval: 30s
receivers:
  - name: tocsin-heartbeat
    webhook_configs:
      - url: ${url}
        send_resolved: false
`;
}
