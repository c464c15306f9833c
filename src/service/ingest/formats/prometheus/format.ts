import type { IncomingFormat } from '../format.ts';

export const PROMETHEUS = {
  words: 'Prometheus without Alertmanager',
  setUp: ({ url, key }) => [
    { title: 'Prometheus: YAML', text: prometheusYaml(new URL(url), key) },
    { title: 'collectd: notifications of its thresholds, with Persist', text: collectdNode(url, key) },
    {
      title: 'Try it with amtool',
      text: `amtool --alertmanager.url=${url}/${key} alert add try service=my-service`,
    },
  ],
} satisfies IncomingFormat;

/** Its notifications have Alertmanager's format. */
function collectdNode(url: string, key: string): string {
  return `LoadPlugin write_http
<Plugin write_http>
  <Node "tocsin">
    URL "${url}/api/v1/alerts"
    Header "Authorization: Bearer ${key}"
    Metrics false
    Notifications true
  </Node>
</Plugin>
`;
}

function prometheusYaml({ protocol, host, pathname }: URL, key: string): string {
  return `alerting:
  alertmanagers:
    - scheme: ${protocol.replace(':', '')}
      path_prefix: ${pathname}
      authorization: { credentials: ${key} }
      static_configs:
        - targets: ["${host}"]
`;
}
