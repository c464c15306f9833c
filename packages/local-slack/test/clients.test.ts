import { SocketModeClient } from '@slack/socket-mode';
import { SlackAPIClient } from 'slack-web-api-client';
import { expect, it } from 'vitest';
import { client, quiet, startFixture } from './fixture.ts';

const CHANNEL = 'C0PLAYGRND';

/** The part of a Socket Mode delivery that these tests read. */
interface Delivered {
  readonly ack: () => Promise<void>;
  readonly body: {
    readonly trigger_id: string;
    readonly view?: { readonly state: { readonly values: Record<string, Record<string, { readonly value: string }>> } };
  };
}

it('works with @slack/web-api and @slack/socket-mode', async () => {
  await using fixture = await startFixture();
  const { slack } = fixture;
  const web = client(slack);
  const socket = new SocketModeClient({
    appToken: slack.appToken,
    clientOptions: { slackApiUrl: slack.apiUrl },
    logger: quiet,
  });
  const openForm = async ({ ack, body }: Delivered): Promise<void> => {
    await ack();
    await web.views.open({
      trigger_id: body.trigger_id,
      view: {
        type: 'modal',
        callback_id: 'form',
        title: { type: 'plain_text', text: 'Say' },
        submit: { type: 'plain_text', text: 'Say' },
        blocks: [
          {
            type: 'input',
            block_id: 'words',
            label: { type: 'plain_text', text: 'Words' },
            element: { type: 'plain_text_input', action_id: 'typed' },
          },
        ],
      },
    });
  };
  const say = async ({ ack, body }: Delivered): Promise<void> => {
    await ack();
    await web.chat.postMessage({ channel: CHANNEL, text: body.view?.state.values.words?.typed?.value ?? '' });
  };
  socket.on('slash_commands', (delivered) => void openForm(delivered));
  socket.on('interactive', (delivered) => void say(delivered));
  const connected = new Promise<void>((resolve) => socket.once('connected', () => resolve()));
  await socket.start();
  await connected;

  const { ts = '' } = await web.chat.postMessage({ channel: CHANNEL, text: 'first' });
  await web.chat.update({ channel: CHANNEL, ts, text: 'second' });
  await web.chat.postMessage({ channel: CHANNEL, thread_ts: ts, text: 'in the thread' });
  await slack.as('ana').command('playground', '/hello form');
  const view = await slack.waitFor(() => slack.openViews('ana')[0]);
  await slack.as('ana').submit(view, { words: 'from the modal' });
  await slack.waitFor(() => slack.messages('playground').some(({ text }) => text === 'from the modal'));
  await socket.disconnect();

  expect(slack.messages('playground').map(({ text, threadTs }) => [text, threadTs])).toEqual([
    ['second', null],
    ['in the thread', ts],
    ['from the modal', null],
  ]);
});

it('works with slack-web-api-client', async () => {
  await using fixture = await startFixture();
  const { slack } = fixture;
  const web = new SlackAPIClient(slack.botToken, { baseUrl: slack.apiUrl });

  await expect(web.auth.test()).resolves.toMatchObject({ ok: true, user_id: 'U0APP00001' });
  const { ts = '' } = await web.chat.postMessage({
    channel: CHANNEL,
    text: 'first',
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*first*' } }],
  });
  await web.chat.update({ channel: CHANNEL, ts, text: 'second' });
  const reply = await web.chat.postMessage({ channel: CHANNEL, thread_ts: ts, text: 'in the thread' });

  await expect(web.conversations.replies({ channel: CHANNEL, ts })).resolves.toMatchObject({
    messages: [{ text: 'second', reply_count: 1 }, { text: 'in the thread' }],
  });
  await expect(web.chat.getPermalink({ channel: CHANNEL, message_ts: reply.ts ?? '' })).resolves.toMatchObject({
    permalink: expect.stringContaining(`thread_ts=${ts}`),
  });
  await expect(web.chat.postMessage({ channel: 'C0NOWHERE1', text: 'hi' })).rejects.toThrow('channel_not_found');
});
