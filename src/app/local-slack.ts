import { fileURLToPath } from 'node:url';
import { type LocalSlack, LocalSlackStartError, PortTakenError, startLocalSlack } from 'local-slack';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../runtime/operator-error.ts';
import { HAS_EXAMPLES, shopCommand } from './example-commands.ts';

const MANIFEST = fileURLToPath(new URL('../../manifest.yml', import.meta.url));

/** The channel of the bot in a new local Slack. */
export const INCIDENTS_CHANNEL = {
  id: 'C0INCIDENT',
  name: 'incidents',
  topic: 'What is broken, and who is working on it',
} as const;

/**
 * Starts local Slack for the bot, or for another app whose manifest is given on the command line.
 *
 * @throws OperatorError when it cannot start
 * @param url address of the front door for signed HTTP and telemetry; null: only local Slack runs in this process
 */
export async function openLocalSlack(config: Config, logger: Logger, url: string | null): Promise<LocalSlack> {
  const { port, signingSecret } = config.slack.kind === 'local' ? config.slack : { port: 3100, signingSecret: null };
  try {
    if (config.manifestPath !== null) {
      return await startLocalSlack({
        manifestPath: config.manifestPath,
        port,
        delivery: { mode: 'manifest' },
        logger,
      });
    }
    return await startLocalSlack({
      manifestPath: MANIFEST,
      port,
      delivery:
        signingSecret !== null && url !== null
          ? { mode: 'http', requestUrl: `${url}/slack/events`, signingSecret }
          : { mode: 'socket' },
      channel: { ...INCIDENTS_CHANNEL, welcome: welcome(config, url) },
      unfurlDomains: url === null ? [] : [new URL(config.http.publicUrl ?? url).hostname],
      statePath: `${config.database.dataDir}/local-slack.json`,
      logger,
    });
  } catch (error) {
    if (error instanceof PortTakenError) {
      throw new OperatorError(
        `port ${port} is in use by another program: stop it, or set LOCAL_SLACK_PORT to a free port`,
        { cause: error },
      );
    }
    throw error instanceof LocalSlackStartError ? new OperatorError(error.message, { cause: error }) : error;
  }
}

/** mrkdwn that the empty channel shows: the next step for somebody who just started Tocsin. */
function welcome({ parts, database }: Config, url: string | null): string {
  if (url === null || !parts.has('service') || !parts.has('bot') || !HAS_EXAMPLES) {
    return '*No incidents yet.* Type `/incidents help` to see what the bot can do.';
  }
  return [
    '*No incidents yet.* Break the example shop in a second terminal:',
    `\`\`\`${shopCommand({ url, dataDir: database.dataDir })}\`\`\``,
    'Its incident appears here within seconds. Then click *Acknowledge* on the card, stop the shop with Ctrl-C, and ' +
      'click *Resolve*. `/incidents help` lists the commands.',
  ].join('\n');
}
