import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { clientOptions, type SlackConnection } from './clients.ts';
import { createHttpReceiver } from './http-receiver.ts';
import type { BotReceiver } from './receiver.ts';
import type { Requests } from './requests.ts';
import { createSocketReceiver } from './socket-receiver.ts';
import { BotStartError } from './start-error.ts';

/** Socket Mode with an app token, otherwise signed HTTP. @throws BotStartError when neither is possible */
export function createReceiver(
  { appToken, signingSecret }: { readonly appToken: string | null; readonly signingSecret: string | null },
  connection: SlackConnection,
  requests: Requests,
  logger: Logger,
  clock: Clock,
): BotReceiver {
  const { logger: boltLogger } = connection;
  if (appToken !== null) {
    return createSocketReceiver({
      appToken,
      clientOptions: () => clientOptions(connection),
      requests,
      boltLogger,
      logger,
      clock,
    });
  }
  if (signingSecret === null) {
    throw new BotStartError(
      'Neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET is set: set SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET for signed HTTP.',
    );
  }
  return createHttpReceiver({ signingSecret, requests, logger: boltLogger, now: clock.now });
}
