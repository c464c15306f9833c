import { App, type Logger as BoltLogger } from '@slack/bolt';
import type { WebClientOptions } from '@slack/web-api';
import { registerListeners } from './register.ts';
import type { BotReceiver } from './slack/receiver.ts';

/** Creates a Bolt app that does not call Slack or fail before `init()`. */
export function createApp(options: {
  botToken: string;
  receiver: BotReceiver;
  clientOptions: WebClientOptions;
  boltLogger: BoltLogger;
  listeners: Parameters<typeof registerListeners>[1];
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
    throw error; // handled by `Requests`, which knows whether the request was acknowledged
  });
  registerListeners(app, options.listeners);
  return app;
}
