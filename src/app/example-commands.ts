import { existsSync } from 'node:fs';

/** Where a running Tocsin can be reached. */
export interface RunningTocsin {
  /** Address of the front door. */
  readonly url: string;
  readonly dataDir: string;
}

/** Whether the examples are here: an image has only what Tocsin needs. */
export const HAS_EXAMPLES = existsSync(new URL('../../examples', import.meta.url));

/** The command that breaks the example shop, with all settings that differ from the defaults. */
export function shopCommand(running: RunningTocsin): string {
  return [...settingsOf(running), 'npm run shop -- --break payments'].join(' ');
}

/** The command that shows the panel of game day in local Slack. */
export function gameDayCommand(running: RunningTocsin, localSlackUrl: string): string {
  const { port } = new URL(localSlackUrl);
  const slackPort = port === '3100' ? [] : [`LOCAL_SLACK_PORT=${port}`];
  return [...settingsOf(running), ...slackPort, 'npm run shop -- --game-day'].join(' ');
}

function settingsOf({ url, dataDir }: RunningTocsin): string[] {
  const { hostname, port, origin } = new URL(url);
  const isLoopback = hostname === '127.0.0.1' || hostname === 'localhost';
  return [
    ...(isLoopback ? [] : [`OTEL_EXPORTER_OTLP_ENDPOINT=${origin}`]),
    ...(isLoopback && port !== '3000' ? [`PORT=${port || '80'}`] : []),
    ...(dataDir === './data' ? [] : [`DATA_DIR=${quoteForShell(dataDir)}`]),
  ];
}

function quoteForShell(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
