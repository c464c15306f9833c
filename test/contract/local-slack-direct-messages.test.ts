import { describe, expect, it } from 'vitest';
import { ALL_SCOPES, client, connect, refusal, startFixture } from './local-slack-fixture.ts';

const ANA = 'U0ANA00001';
const BEN = 'U0BEN00001';
const BOT = 'U0APP00001';
const SCOPES = [...ALL_SCOPES, 'mpim:history', 'mpim:read', 'mpim:write'];

const listening = (event: string): string => `
display_information: { name: Listener }
features: { bot_user: { display_name: Listener } }
oauth_config: { scopes: { bot: [chat:write, im:write, mpim:history, mpim:write] } }
settings:
  event_subscriptions: { bot_events: [${event}] }
  socket_mode_enabled: true
`;

describe('a group message', () => {
  it('is opened with several people, once for the same ones, and known to the methods that ask for it', async () => {
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

  it('is refused as Slack refuses it', async () => {
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
        refusal(conversations.open({ channel: 'C0INCIDENT' })),
        refusal(conversations.invite({ channel: id, users: 'U0CHLOE001' })),
        refusal(conversations.leave({ channel: id })),
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

  it('is heard by an app in it that subscribes to such messages', async () => {
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
