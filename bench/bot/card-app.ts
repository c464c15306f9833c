import { App, type BlockButtonAction, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { request } from 'undici';
import type { AppSettings } from '../slack-app.ts';

/** What Tocsin is measured against: an app of plain Bolt that calls the service on a click and edits the card. */

export interface CardAppOrder {
  readonly app: AppSettings;
  readonly channel: string;
  readonly service: { readonly baseUrl: string; readonly apiKey: string };
}

process.once('message', (order: CardAppOrder) => {
  void start(order);
});

async function start({ app: settings, channel, service }: CardAppOrder): Promise<void> {
  const clientOptions = { slackApiUrl: settings.apiUrl };
  const receiver = new SocketModeReceiver({
    appToken: settings.appToken ?? '',
    logLevel: LogLevel.ERROR,
    installerOptions: { clientOptions },
  });
  const app = new App({ token: settings.botToken, receiver, clientOptions, logLevel: LogLevel.ERROR });
  app.action<BlockButtonAction>(/.*/, async ({ ack, body, action, client, respond }) => {
    await ack();
    const incidentId = action.value ?? '';
    const { body: answer } = await request(`${service.baseUrl}/incidents/${incidentId}/acknowledge`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user: body.user.id }),
    });
    await answer.dump();
    const ts = body.message?.ts ?? '';
    await client.chat.update({
      channel: body.channel?.id ?? channel,
      ts,
      text: `Open, acknowledged by ${body.user.id}`,
      blocks: [],
    });
    await respond({ text: 'You acknowledged it.', replace_original: false });
  });
  await app.start();
  process.on('message', ({ post }: { post: string }) => {
    void app.client.chat
      .postMessage({
        channel,
        text: `${post}: Open, not acknowledged`,
        blocks: [
          {
            type: 'actions',
            elements: [
              { type: 'button', text: { type: 'plain_text', text: 'Acknowledge' }, action_id: 'ack', value: post },
            ],
          },
        ],
      })
      .then(() => process.send?.({ isPosted: true }));
  });
  process.send?.({ isStarted: true });
  process.once('disconnect', () => void app.stop());
}
