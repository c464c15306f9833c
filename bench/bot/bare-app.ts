import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from '@slack/bolt';
import type { AppSettings } from '../slack-app.ts';

/** Baseline: a plain Bolt app that acknowledges and says hello. */

process.once('message', (settings: AppSettings) => {
  void start(settings);
});

async function start({ apiUrl, botToken, appToken, signingSecret, port }: AppSettings): Promise<void> {
  const clientOptions = { slackApiUrl: apiUrl };
  const receiver =
    appToken === null
      ? new HTTPReceiver({ signingSecret, endpoints: '/slack/events', logLevel: LogLevel.ERROR })
      : new SocketModeReceiver({ appToken, logLevel: LogLevel.ERROR, installerOptions: { clientOptions } });
  const app = new App({ token: botToken, receiver, clientOptions, logLevel: LogLevel.ERROR });
  const hello = { text: 'Hello', replace_original: false };
  app.command(/.*/, async ({ ack, respond }) => {
    await ack();
    await respond(hello);
  });
  app.action(/.*/, async ({ ack, respond }) => {
    await ack();
    await respond(hello);
  });
  await app.start(port);
  process.send?.({ isStarted: true });
  process.once('disconnect', () => void app.stop());
}
