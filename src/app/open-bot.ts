import type { LocalSlack } from 'local-slack';
import { type Bot, createBot } from '../bot/bot.ts';
import { EMBEDDED_SERVICE } from '../bot/start/installation.ts';
import { createServiceClient } from '../client/service-client.ts';
import type { Config } from '../config/config.ts';
import { createRealClock } from '../runtime/clock.ts';
import type { Deps, Shared } from './deps.ts';
import type { LocalKeys } from './local-keys.ts';

interface Neighbours extends Shared {
  readonly keys: LocalKeys | null;
  readonly localSlack: LocalSlack | null;
}

export async function openBot(
  { config, logger, now, onStep }: Deps,
  started: AsyncDisposableStack,
  { database, door, registry, keys, localSlack }: Neighbours,
): Promise<Bot> {
  onStep('the bot');
  const address =
    config.service.kind === 'remote'
      ? { baseUrl: config.service.baseUrl, apiKey: config.service.apiKey }
      : { baseUrl: `${door.url}/v1`, apiKey: keys?.bot ?? '' };
  const serviceId = config.service.kind === 'remote' ? idOf(config.service.baseUrl) : EMBEDDED_SERVICE;
  const onUnreadable = (err: Error) => logger.warn({ err }, 'skipped an unreadable item in a list of the service');
  const client = started.use(createServiceClient({ ...address, onUnreadable }));
  const bot = started.use(
    await createBot({
      slack: slackAddress(config.slack, localSlack),
      service: client,
      serviceId,
      serviceMovedFrom: config.serviceMovedFrom,
      database,
      logger: logger.child({ part: 'bot' }),
      clock: createRealClock(now),
      channel: config.channel,
      pollMs: config.pollMs,
      naming: config.naming,
      traceUrl: config.traceUrl,
      responderGroups: config.responderGroups,
      adminGroups: config.adminGroups,
      publicUrl: config.http.publicUrl ?? door.url,
      rulesGroup: config.rulesGroup,
      retentionDays: config.botRetentionDays,
      registry,
    }),
  );
  door.handlers.slack = bot.requestListener;
  await bot.start();
  return bot;
}

/** Drops credentials and the query. */
function idOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname;
}

function slackAddress(slack: Config['slack'], localSlack: LocalSlack | null) {
  if (slack.kind === 'remote') {
    return slack;
  }
  if (localSlack === null) {
    throw new Error('the bot has neither a remote Slack nor local Slack');
  }
  return {
    apiUrl: localSlack.apiUrl,
    botToken: localSlack.botToken,
    appToken: slack.signingSecret === null ? localSlack.appToken : null,
    signingSecret: slack.signingSecret,
  };
}
