/** Shown while there is nothing to see yet. */
export function SendSignals({ publicUrl }: { publicUrl: string }) {
  return (
    <section class="box" aria-labelledby="send">
      <h2 id="send">How to send signals</h2>
      <p>
        Set these variables for the OpenTelemetry SDK of each service, with an ingest key from{' '}
        <a href="/dashboard/settings/api-keys">Settings: API keys</a>:
      </p>
      <pre tabindex={0}>
        <code>{`OTEL_EXPORTER_OTLP_ENDPOINT=${publicUrl}\nOTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\nOTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20<ingest key>"`}</code>
      </pre>
      <p>
        Prometheus, Alertmanager, Grafana and many others are set up in{' '}
        <a href="/dashboard/settings/integrations">Settings: Integrations</a>.
      </p>
      <p>
        Header values are URL-encoded: write the space as <code>%20</code>, because older SDKs refuse a plain space. A
        header without a space works too: <code>{'x-api-key=<ingest key>'}</code>.
      </p>
    </section>
  );
}
