import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { ALL_SCOPES, client, connect, refusal, startFixture } from './fixture.ts';

const ANA = 'U0ANA00001';
const BEN = 'U0BEN00001';
const BOT = 'U0APP00001';
const SCOPES = [...ALL_SCOPES, 'mpim:history', 'mpim:read', 'mpim:write'];

const listening = (events: string, scopes: readonly string[] = SCOPES): string => `
display_information: { name: Listener }
features: { bot_user: { display_name: Listener } }
oauth_config: { scopes: { bot: [${scopes.join(', ')}] } }
settings:
  event_subscriptions: { bot_events: [${events}] }
  socket_mode_enabled: true
`;

describe('a group message', () => {
  it('is opened once for the same people, and known to all methods', async () => {
    await using fixture = await startFixture({ scopes: SCOPES });
    const { conversations, chat } = client(fixture.slack);

    const opened = await conversations.open({ users: `${ANA},${BEN}`, return_im: true });
    const channel = opened.channel?.id ?? '';
    const again = await conversations.open({ users: `${BEN},${ANA}` });
    const { ts } = await chat.postMessage({ channel, text: 'who is on it?' });

    expect(channel).toMatch(/^G/);
    expect(opened.channel).toMatchObject({
      name: 'mpdm-ana--ben--hello-1',
      is_mpim: true,
      is_im: false,
      is_private: true,
      purpose: { value: 'Group messaging with: @ana @ben @hello' },
    });
    expect(again).toMatchObject({ channel: { id: channel }, already_open: true });
    await expect(conversations.open({ channel })).resolves.toMatchObject({ channel: { id: channel }, no_op: true });
    await expect(conversations.list({ types: 'mpim' })).resolves.toMatchObject({ channels: [{ id: channel }] });
    await expect(conversations.info({ channel })).resolves.toMatchObject({ channel: { num_members: 3 } });
    await expect(conversations.members({ channel })).resolves.toMatchObject({ members: [ANA, BEN, BOT] });
    await expect(conversations.history({ channel })).resolves.toMatchObject({ messages: [{ ts }] });
  });

  it('is refused like by Slack', async () => {
    await using fixture = await startFixture({ scopes: SCOPES });
    const { conversations } = client(fixture.slack);
    const { channel } = await conversations.open({ users: `${ANA},${BEN}` });
    const id = channel?.id ?? '';
    const nine = Array.from({ length: 9 }, (_, index) => `U0PERSON0${index}`).join(',');

    expect(
      await Promise.all([
        refusal(conversations.open({ users: nine })),
        refusal(conversations.open({ users: `${ANA},U0NOBODY01` })),
        refusal(conversations.open({ users: '' })),
        refusal(conversations.open({ channel: 'G0NOWHERE1' })),
        refusal(conversations.open({ channel: 'C0PLAYGRND' })),
        refusal(conversations.invite({ channel: id, users: 'U0CHLOE001' })),
        refusal(conversations.join({ channel: id })),
      ]),
    ).toEqual([
      'too_many_users',
      'user_not_found',
      'users_list_not_supplied',
      'channel_not_found',
      'method_not_supported_for_channel_type',
      'method_not_supported_for_channel_type',
      'method_not_supported_for_channel_type',
    ]);
  });

  it('needs the scopes of group messages', async () => {
    await using fixture = await startFixture({ scopes: [...ALL_SCOPES, 'mpim:write'] });
    await using narrow = await startFixture({ scopes: ALL_SCOPES });
    const { conversations } = client(fixture.slack);
    const { channel } = await conversations.open({ users: `${ANA},${BEN}` });
    const needed = (call: Promise<unknown>): Promise<unknown> =>
      call.then(
        () => null,
        (error: { data: { needed: string } }) => error.data.needed,
      );

    expect(
      await Promise.all([
        needed(client(narrow.slack).conversations.open({ users: `${ANA},${BEN}` })),
        needed(conversations.list({ types: 'public_channel,mpim' })),
        needed(conversations.info({ channel: channel?.id ?? '' })),
        needed(conversations.history({ channel: channel?.id ?? '' })),
      ]),
    ).toEqual(['mpim:write', 'mpim:read', 'mpim:read', 'mpim:history']);
  });

  it('causes events for a subscribed app in it', async () => {
    await using fixture = await startFixture({ manifest: listening('message.mpim') });
    await using app = await connect(fixture.slack);
    const { channel } = await client(fixture.slack).conversations.open({ users: `${ANA},${BEN}` });

    await fixture.slack.as('ana').message(channel?.id ?? '', 'it is slow');

    const { payload } = await app.hears(({ type }) => type === 'events_api');
    expect(payload.event).toMatchObject({
      type: 'message',
      channel: channel?.id,
      channel_type: 'mpim',
      user: ANA,
      text: 'it is slow',
    });
  });
});

describe('a conversation without the app', () => {
  it('is not visible to the app and causes no events', async () => {
    const scopes = ['channels:history', 'chat:write', 'im:history', 'im:read', 'mpim:history', 'mpim:read'];
    const events = ['message.channels', 'message.im', 'message.mpim'];
    await using fixture = await startFixture({ manifest: listening(events.join(', '), scopes) });
    const { slack } = fixture;
    await using app = await connect(slack);
    const { conversations, chat } = client(slack);
    const two = slack.as('ana').openDirectMessage(['ben']);
    const three = slack.as('ana').openDirectMessage(['ben', 'chloe']);

    await slack.as('ana').message(two, 'between us');
    await slack.as('ana').message(three, 'among us');
    await slack.as('ana').message('playground', 'to all');

    expect([two.charAt(0), three.charAt(0)]).toEqual(['D', 'G']);
    for (const channel of [two, three]) {
      expect(await refusal(conversations.history({ channel }))).toBe('channel_not_found');
      expect(await refusal(conversations.info({ channel }))).toBe('channel_not_found');
      expect(await refusal(chat.postMessage({ channel, text: 'may I?' }))).toBe('channel_not_found');
    }
    await expect(conversations.list({ types: 'im,mpim' })).resolves.toMatchObject({ channels: [] });
    const { payload } = await app.hears(({ type }) => type === 'events_api');
    expect(payload.event).toMatchObject({ text: 'to all' });
  });

  it('is not visible to other people', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    const channel = slack.as('ana').openDirectMessage(['ben']);
    await slack.as('ana').message(channel, 'between us');
    const [message] = slack.messages(channel);
    const pin = async (person: string): Promise<number> => {
      const { statusCode, body } = await request(`${slack.url}people/${person}/pin`, {
        method: 'POST',
        body: JSON.stringify({ message: { kind: 'message', channel, ts: message?.ts }, isOn: true }),
      });
      await body.dump();
      return statusCode;
    };

    expect(await pin('chloe')).toBe(409);
    await expect(slack.as('chloe').message(channel, 'may I?')).rejects.toThrow('chloe is not a member of a channel');
    expect(await pin('ben')).toBe(200);
  });

  it('sends commands with the person and the conversation', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    await using app = await connect(slack);
    const three = slack.as('ana').openDirectMessage(['ben', 'chloe']);

    await slack.as('chloe').command(three, '/hello');

    const { payload } = await app.hears(({ type }) => type === 'slash_commands');
    expect(payload).toMatchObject({
      channel_id: three,
      channel_name: 'mpdm-ana--ben--chloe-1',
      user_id: 'U0CHLOE001',
    });
  });
});

describe('a channel with people of another workspace', () => {
  it('is shared', async () => {
    await using fixture = await startFixture();
    const { conversations } = client(fixture.slack);
    const sharedWith = async (): Promise<unknown> =>
      (await conversations.info({ channel: 'C0PLAYGRND' })).channel?.is_ext_shared;

    expect(await sharedWith()).toBe(true);
    fixture.slack.as('elif').leave('playground');
    expect(await sharedWith()).toBe(false);
  });
});
