import type { IncomingFormat } from '../format.ts';

export const PROMETHEUS = {
  words: 'Prometheus without Alertmanager',
  setUp: ({ url, key }) => [
    { title: 'Prometheus: YAML', text: prometheusYaml(new URL(url), key) },
    {
      title: 'Try it with amtool',
      text: `amtool --alertmanager.url=${url}/${key} alert add try service=my-service`,
    },
  ],
} satisfies IncomingFormat;

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
