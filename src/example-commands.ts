/** Where a running Tocsin can be reached. */
export interface RunningTocsin {
  /** Address of the front door. */
  readonly url: string;
  readonly dataDir: string;
}

/** The command that breaks the example shop, with all settings that differ from the defaults. */
export function shopCommand({ url, dataDir }: RunningTocsin): string {
  const { hostname, port, origin } = new URL(url);
  const isLoopback = hostname === '127.0.0.1' || hostname === 'localhost';
  const settings = [
    ...(isLoopback ? [] : [`OTEL_EXPORTER_OTLP_ENDPOINT=${origin}`]),
    ...(isLoopback && port !== '3000' ? [`PORT=${port || '80'}`] : []),
    ...(dataDir === './data' ? [] : [`DATA_DIR=${quoteForShell(dataDir)}`]),
  ];
  return [...settings, 'npm run shop -- --break payments'].join(' ');
}

function quoteForShell(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
