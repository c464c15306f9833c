import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, type Receiver, SocketModeReceiver } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import type { LocalSlack } from '../src/local-slack.ts';
import { quiet, startFixture } from './fixture.ts';

const MANIFEST = `
display_information: { name: Hello World }
features:
  app_home: { home_tab_enabled: true }
  bot_user: { display_name: Hello }
  slash_commands:
    - { command: /hello, description: Says hello }
    - { command: /escaped, description: Hands names on as references, should_escape: true }
  shortcuts:
    - { name: Greet, type: global, callback_id: greet, description: Greets everyone }
    - { name: Answer, type: message, callback_id: answer, description: Answers the message }
oauth_config:
  scopes:
    bot: [app_mentions:read, channels:history, channels:read, chat:write, commands]
settings:
  event_subscriptions:
    bot_events: [app_home_opened, app_mention, member_joined_channel, message.channels]
  interactivity: { is_enabled: true }
  socket_mode_enabled: true
`;

/** A plain Bolt app. */
function addHelloWorld(app: App): void {
  const button = {
    type: 'button',
    action_id: 'wave',
    text: { type: 'plain_text', text: 'Wave' },
    value: 'hi',
  } as const;
  const town = { type: 'external_select', action_id: 'town', min_query_length: 2 } as const;
  app.command('/hello', async ({ ack, command, say, respond, client }) => {
    await ack();
    if (command.text === 'form') {
      await client.views.open({
        trigger_id: command.trigger_id,
        view: {
          type: 'modal',
          callback_id: 'form',
          title: { type: 'plain_text', text: 'Say something' },
          submit: { type: 'plain_text', text: 'Say' },
          private_metadata: command.channel_id,
          blocks: [
            {
              type: 'input',
              block_id: 'words',
              label: { type: 'plain_text', text: 'Words' },
              element: { type: 'plain_text_input', action_id: 'typed', multiline: true },
            },
          ],
        },
      });
      return;
    }
    await say({ text: `Hello ${command.text}`, blocks: [{ type: 'actions', elements: [button, town] }] });
    await respond('Said.');
  });
  app.command('/escaped', async ({ ack, command }) => {
    await ack(`got ${command.text}`);
  });
  app.options('town', async ({ ack, payload }) => {
    const towns = ['Lisbon', 'Lismore', 'Paris'].filter((name) => name.startsWith(payload.value));
    await ack({ options: towns.map((name) => ({ text: { type: 'plain_text', text: name }, value: name })) });
  });
  app.action('town', async ({ ack, payload, respond }) => {
    await ack();
    const town = payload.type === 'external_select' ? payload.selected_option?.value : null;
    await respond({ text: `${town} it is`, response_type: 'in_channel', replace_original: false });
  });
  app.action('wave', async ({ ack, body, respond }) => {
    await ack();
    await respond({ replace_original: true, text: `${body.user.id} waved` });
  });
  app.view('form', async ({ ack, view, client, body }) => {
    const words = view.state.values.words?.typed?.value ?? '';
    if (words === 'rude') {
      await ack({ response_action: 'errors', errors: { words: 'Be kind.' } });
      return;
    }
    await ack();
    await client.chat.postMessage({ channel: view.private_metadata, text: `${body.user.id}: ${words}` });
  });
  app.shortcut('greet', async ({ ack, client, shortcut }) => {
    await ack();
    await client.chat.postMessage({ channel: 'C0PLAYGRND', text: `greeted by ${shortcut.user.id}` });
  });
  app.shortcut('answer', async ({ ack, respond, shortcut }) => {
    await ack();
    const said = shortcut.type === 'message_action' ? shortcut.message.text : null;
    await respond({ text: `answered: ${said}`, response_type: 'in_channel' });
  });
  app.event('app_home_opened', async ({ event, client }) => {
    if (event.tab === 'home') {
      const section = { type: 'section', text: { type: 'plain_text', text: `Welcome ${event.user}` } } as const;
      await client.views.publish({ user_id: event.user, view: { type: 'home', blocks: [section] } });
    }
  });
  app.message(/^good (morning|night)/, async ({ context, say }) => {
    const matches = context.matches as string[];
    await say(`And good ${matches[1]} to you`);
  });
  app.event('member_joined_channel', async ({ event, say }) => {
    await say(`Welcome, <@${event.user}>`);
  });
  app.event('app_mention', async ({ event, say }) => {
    await say({ text: 'You called?', thread_ts: event.ts });
  });
}

async function startApp(slack: LocalSlack, receiver: Receiver): Promise<App> {
  const app = new App({
    token: slack.botToken,
    receiver,
    logger: quiet,
    convoStore: false,
    clientOptions: { slackApiUrl: slack.apiUrl },
    deferInitialization: true,
  });
  addHelloWorld(app);
  await app.init();
  return app;
}

async function startOverSocket(): Promise<AsyncDisposable & { slack: LocalSlack }> {
  const fixture = await startFixture({ manifest: MANIFEST });
  const receiver = new SocketModeReceiver({
    appToken: fixture.slack.appToken,
    logger: quiet,
    clientPingTimeout: 200, // also the pause before it reconnects
    installerOptions: { clientOptions: { slackApiUrl: fixture.slack.apiUrl } },
  });
  const app = await startApp(fixture.slack, receiver);
  await receiver.start();
  return {
    slack: fixture.slack,
    async [Symbol.asyncDispose]() {
      await app.stop();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

async function startOverHttp(): Promise<AsyncDisposable & { slack: LocalSlack }> {
  const signingSecret = 'test-signing-secret';
  const receiver = new HTTPReceiver({ signingSecret, logger: quiet });
  const server = createServer(receiver.requestListener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const requestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  const fixture = await startFixture({ manifest: MANIFEST, delivery: { mode: 'http', requestUrl, signingSecret } });
  await startApp(fixture.slack, receiver);
  return {
    slack: fixture.slack,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

describe.each([
  ['Socket Mode', startOverSocket],
  ['signed HTTP', startOverHttp],
])('a Bolt app over %s', (_name, start) => {
  it('responds to a slash command in the channel and only to the person', async () => {
    await using team = await start();
    const { slack } = team;

    const outcome = await slack.as('ana').command('playground', '/hello Ana & <co>');

    expect(outcome).toEqual({ ack: { kind: 'acked', body: null }, shown: null });
    const ephemeral = await slack.waitFor(() => slack.ephemerals('ana', 'playground')[0]);
    expect(ephemeral.text).toBe('Said.');
    expect(slack.messages('playground').map((message) => message.text)).toEqual(['Hello Ana & <co>']);
    expect(slack.ephemerals('ben', 'playground')).toEqual([]);
  });

  it('shows the text of an acknowledgement, with names as references when the manifest asks for it', async () => {
    await using team = await start();
    const { slack } = team;

    await slack.as('ben').command('playground', '/escaped @ana in #general see https://example.com/&');

    expect(slack.ephemerals('ben', 'playground').map((message) => message.text)).toEqual([
      'got <@U0ANA00001|ana> in <#C0GENERAL1|general> see <https://example.com/&amp;>',
    ]);
  });

  it('replaces a message when its button is clicked', async () => {
    await using team = await start();
    const { slack } = team;
    await slack.as('ana').command('playground', '/hello');
    const posted = await slack.waitFor(() => slack.messages('playground')[0]);

    await slack.as('chloe').click(posted, 'Wave');

    const replaced = await slack.waitFor(() => slack.messages('playground').find(({ revision }) => revision > 0));
    expect(replaced).toMatchObject({ ts: posted.ts, text: 'U0CHLOE001 waved', blocks: [], isEdited: true });
  });

  it('offers the options of a select while the person types, and gets the chosen one', async () => {
    await using team = await start();
    const { slack } = team;
    const ana = slack.as('ana');
    await ana.command('playground', '/hello');
    const posted = await slack.waitFor(() => slack.messages('playground')[0]);

    const offered = await ana.suggest(posted, 'town', 'Lis');
    await ana.click(posted, 'town', 'Lisbon');

    expect(offered.options).toMatchObject([{ value: 'Lisbon' }, { value: 'Lismore' }]);
    await slack.waitFor(() => slack.messages('playground').find(({ text }) => text === 'Lisbon it is'));
  });

  it('opens a modal, keeps it open for an error, and closes it after a valid submission', async () => {
    await using team = await start();
    const { slack } = team;
    const ana = slack.as('ana');
    await ana.command('playground', '/hello form');
    const view = await slack.waitFor(() => slack.openViews('ana')[0]);

    const empty = await ana.submit(view, {});
    const rude = await ana.submit(view, { Words: 'rude' });
    const openAfterErrors = slack.openViews('ana').map(({ errors }) => errors);
    const kind = await ana.submit(view, { words: ' two\nlines ' });

    expect(empty).toMatchObject({ ack: null, errors: { words: 'Please complete this required field.' } });
    expect(rude.errors).toEqual({ words: 'Be kind.' });
    expect(openAfterErrors).toEqual([{ words: 'Be kind.' }]);
    expect(kind).toMatchObject({ errors: {}, shown: null });
    expect(slack.openViews('ana')).toEqual([]);
    const said = await slack.waitFor(() => slack.messages('playground')[0]);
    expect(said.text).toBe('U0ANA00001:  two\nlines ');
  });

  it('gets shortcuts and mentions', async () => {
    await using team = await start();
    const { slack } = team;

    await slack.as('ben').shortcut('greet');
    await slack.waitFor(() => slack.messages('playground').find(({ text }) => text === 'greeted by U0BEN00001'));
    await slack.as('ben').message('playground', '@hello are you there?');

    const answer = await slack.waitFor(() => slack.messages('playground').find(({ text }) => text === 'You called?'));
    expect(answer.threadTs).not.toBeNull();
  });

  it('responds to a message shortcut in the channel', async () => {
    await using team = await start();
    const { slack } = team;
    await slack.as('ana').message('playground', 'who is on call?');
    const [message] = slack.messages('playground');

    await slack.as('ben').shortcut('answer', message);

    const answer = await slack.waitFor(() => slack.messages('playground').find(({ isFromApp }) => isFromApp));
    expect(answer.text).toBe('answered: who is on call?');
  });

  it('publishes a Home tab when it is opened', async () => {
    await using team = await start();
    const { slack } = team;

    slack.as('ana').openAppHome('messages');
    slack.as('ben').openAppHome('home');

    const home = await slack.waitFor(() => slack.homeView('ben'));
    expect(home.content.blocks).toMatchObject([{ type: 'section', text: { text: 'Welcome U0BEN00001' } }]);
    expect(slack.homeView('ana')).toBeNull();
  });

  it('gets messages and joining members, and does not respond to itself', async () => {
    await using team = await start();
    const { slack } = team;

    await slack.as('ana').message('playground', 'good morning');
    await slack.waitFor(() => slack.messages('playground').find(({ text }) => text === 'And good morning to you'));
    slack.as('ben').leave('playground');
    slack.as('ben').join('playground');
    await slack.waitFor(() => slack.messages('playground').find(({ text }) => text === 'Welcome, <@U0BEN00001>'));

    expect(slack.messages('playground')).toHaveLength(3);
  });

  it('shows an error when the app does not handle a click', async () => {
    await using team = await start();
    const { slack } = team;

    const outcome = await slack.as('ana').command('playground', '/nonsense');

    expect(outcome.shown).toBe('/nonsense is not a valid command.');
  });
});

it('passes Slack’s checks of a request URL', async () => {
  await using team = await startOverHttp();

  await expect(team.slack.checkRequestUrl()).resolves.toEqual({ urlVerification: true, sslCheck: true });
});

it('reconnects after its connections were cut', async () => {
  await using team = await startOverSocket();
  const { slack } = team;
  await slack.waitFor(() => slack.connections === 1);

  slack.disconnectSockets();
  await slack.waitFor(() => slack.connections === 0);
  const lost = await slack.as('ana').command('playground', '/hello');
  await slack.waitFor(() => slack.connections === 1);
  const heard = await slack.as('ana').command('playground', '/hello');

  expect(lost.shown).toBe('/hello failed with the error "dispatch_failed".');
  expect(heard.shown).toBeNull();
});
