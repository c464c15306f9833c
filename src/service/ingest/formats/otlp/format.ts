import type { IncomingFormat } from '../format.ts';

export const OTLP = {
  words: 'OpenTelemetry',
  setUp: ({ url, key }) => [
    { title: 'OpenTelemetry SDK: environment', text: sdkEnvironment(url, key) },
    { title: 'OpenTelemetry Collector: YAML', text: collectorYaml(url, key) },
  ],
} satisfies IncomingFormat;

/** Header values are URL-encoded here; older SDKs refuse a plain space. */
function sdkEnvironment(url: string, key: string): string {
  return [
    `OTEL_EXPORTER_OTLP_ENDPOINT=${url}`,
    'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    `OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20${key}"`,
  ].join('\n');
}

/** A whole configuration, so that it runs as it is. */
function collectorYaml(url: string, key: string): string {
  return `receivers:
  otlp:
    protocols:
      grpc: { endpoint: 0.0.0.0:4317 }
      http: { endpoint: 0.0.0.0:4318 }
exporters:
  otlphttp/tocsin:
    endpoint: ${url}
    headers:
      authorization: "Bearer ${key}"
service:
  pipelines:
    traces: { receivers: [otlp], exporters: [otlphttp/tocsin] }
    metrics: { receivers: [otlp], exporters: [otlphttp/tocsin] }
    logs: { receivers: [otlp], exporters: [otlphttp/tocsin] }
`;
}
