import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { LocalSlackStartError } from './errors.ts';
import { type LocalSlack, type LocalSlackOptions, startLocalSlack } from './local-slack.ts';

const HELP = `Usage: local-slack --manifest FILE [options]

Starts a stand-in for Slack on this machine, for the app of a manifest.

  --manifest FILE  app manifest, YAML or JSON
  --port NUMBER    port of the page and of the Web API (default 3100; 0 takes any free port)
  --channel NAME   channel that the app is in from the first start (default playground)
  --state FILE     keeps the workspace in this file between restarts
  --help           shows this text
`;

const DEFAULT_PORT = 3100;
const MAX_PORT = 65_535;

class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Runs until SIGINT or SIGTERM. Sets the exit code: 1 when it cannot start, 2 for wrong arguments. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    const options = readOptions(args);
    if (options === null) {
      process.stdout.write(HELP);
      return;
    }
    const stopped = untilStopped();
    await using slack = await startLocalSlack(options);
    process.stdout.write(banner(slack));
    await stopped;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof LocalSlackStartError)) {
      throw error;
    }
    process.stderr.write(`local-slack: ${error.message}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** Null when help is wanted. @throws UsageError */
function readOptions(args: readonly string[]): LocalSlackOptions | null {
  const { manifest, port, channel, state, help } = parse(args);
  if (help === true) {
    return null;
  }
  if (manifest === undefined) {
    throw new UsageError('--manifest FILE is missing. --help lists the options.');
  }
  return {
    manifestPath: manifest,
    port: port === undefined ? DEFAULT_PORT : readPort(port),
    delivery: { mode: 'manifest' },
    logger: pino({ level: 'warn' }, pino.destination(process.stderr.fd)),
    ...(channel !== undefined && { channel: { name: channel.replace(/^#/, '') } }),
    ...(state !== undefined && { statePath: state }),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        manifest: { type: 'string' },
        port: { type: 'string' },
        channel: { type: 'string' },
        state: { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (cause) {
    throw new UsageError(`${cause instanceof Error ? cause.message : String(cause)}. --help lists the options.`, {
      cause,
    });
  }
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT) {
    throw new UsageError(`--port ${text} is not a port: use a number from 0 to ${MAX_PORT}`);
  }
  return port;
}

function banner(slack: LocalSlack): string {
  return [
    `Page            ${slack.url}  ${slack.appName}, by ${slack.transport}`,
    `Web API         ${slack.apiUrl}`,
    `Bot token       ${slack.botToken}`,
    `App token       ${slack.appToken}`,
    `Signing secret  ${slack.signingSecret}`,
    '',
  ].join('\n');
}

function untilStopped(): Promise<unknown> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
}
