import { App, type Logger as BoltLogger } from '@slack/bolt';
import type { WebClientOptions } from '@slack/web-api';
import type { ListenerDeps } from './listeners/deps.ts';
import { registerListeners } from './listeners/register.ts';
import type { BotReceiver } from './slack/receiver.ts';

/** Bolt, set up so that it neither calls Slack nor fails before `init()`. */
export function createApp(options: {
  botToken: string;
  receiver: BotReceiver;
  clientOptions: WebClientOptions;
  boltLogger: BoltLogger;
  listeners: ListenerDeps;
}): App {
  const app = new App({
    token: options.botToken,
    receiver: options.receiver,
    clientOptions: options.clientOptions,
    logger: options.boltLogger,
    convoStore: false,
    deferInitialization: true,
  });
  app.error(async (error) => {
    throw error; // to `Requests`, which knows whether it was acknowledged
  });
  registerListeners(app, options.listeners);
  return app;
}
