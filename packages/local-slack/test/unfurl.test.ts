import { describe, expect, it } from 'vitest';
import { ALL_SCOPES, client, connect, type Fixture, refusal, startFixture } from './fixture.ts';

const CHANNEL = 'C0PLAYGRND';
const LINK = 'https://example.com/incidents/142?tab=a&full=1';

const start = (): Promise<Fixture> => startFixture({ scopes: ALL_SCOPES });

/** Ana posts the link. Returns the ts. */
async function mention(fixture: Fixture, text = `look at ${LINK} please`): Promise<string> {
  await fixture.slack.as('ana').message('playground', text);
  return fixture.slack.messages(CHANNEL).at(-1)?.ts ?? '';
}

describe('unfurling', () => {
  it('adds the content of the app below the message, once', async () => {
    await using fixture = await start();
    const { chat, conversations } = client(fixture.slack);
    const ts = await mention(fixture);
    const blocks = [{ type: 'section' as const, text: { type: 'mrkdwn' as const, text: '*#142*' } }];
    await chat.unfurl({ channel: CHANNEL, ts, unfurls: { [LINK]: { title: 'old' } } });
    await chat.unfurl({ channel: CHANNEL, ts, unfurls: { [LINK]: { blocks } } });

    const { messages } = await conversations.history({ channel: CHANNEL });

    expect(messages?.[0]?.attachments).toEqual([
      expect.objectContaining({
        id: 1,
        from_url: LINK,
        is_app_unfurl: true,
        app_unfurl_url: LINK,
        blocks: [
          {
            type: 'section',
            block_id: expect.any(String),
            text: { type: 'mrkdwn', text: '*#142*', verbatim: false },
          },
        ],
      }),
    ]);
    expect(messages?.[0]).not.toHaveProperty('edited');
  });

  it('sends the click on a button of the unfurl without the message around it', async () => {
    await using fixture = await start();
    const { slack } = fixture;
    await using connection = await connect(slack);
    const ts = await mention(fixture);
    const button = {
      type: 'button' as const,
      text: { type: 'plain_text' as const, text: 'Take it' },
      action_id: 'take',
    };
    await client(slack).chat.unfurl({
      channel: CHANNEL,
      ts,
      unfurls: { [LINK]: { blocks: [{ type: 'actions', elements: [button] }] } },
    });
    const message = slack.messages(CHANNEL).at(-1);
    expect.assert(message);

    await slack.as('ben').click(message, 'Take it');

    const { payload } = await connection.hears(({ type }) => type === 'interactive');
    expect(payload).toMatchObject({
      type: 'block_actions',
      container: {
        type: 'message_attachment',
        message_ts: ts,
        attachment_id: 1,
        channel_id: CHANNEL,
        app_unfurl_url: LINK,
      },
      app_unfurl: { id: 1, is_app_unfurl: true, blocks: [{ type: 'actions' }] },
      actions: [{ action_id: 'take' }],
    });
    expect(payload).not.toHaveProperty('message');
  });

  it('is refused like by Slack', async () => {
    await using fixture = await start();
    const web = client(fixture.slack);
    const ts = await mention(fixture);
    const unfurl = (fields: object): Promise<string> =>
      refusal(web.apiCall('chat.unfurl', { channel: CHANNEL, ts, unfurls: { [LINK]: { text: 'a' } }, ...fields }));

    expect(
      await Promise.all([
        unfurl({ channel: 'C0NOWHERE1' }),
        unfurl({ ts: '1.000000' }),
        unfurl({ channel: '' }),
        unfurl({ ts: '' }),
        unfurl({ unfurls: '' }),
        unfurl({ unfurls: '[' }),
        unfurl({ unfurls: { [LINK]: 'text' } }),
        unfurl({ unfurls: { [LINK]: { blocks: [{ type: 'sektion' }] } } }),
        unfurl({ unfurls: { 'https://example.com/other': { text: 'a' } } }),
        unfurl({ unfurls: { 'https://elsewhere.example': { text: 'a' } } }),
      ]),
    ).toEqual([
      'cannot_find_channel',
      'cannot_find_message',
      'missing_channel',
      'missing_ts',
      'missing_unfurls',
      'invalid_unfurls_format',
      'cannot_parse_attachment',
      'cannot_parse_attachment',
      'cannot_unfurl_message',
      'cannot_unfurl_url',
    ]);
    await expect(startFixture().then(refusedScope)).resolves.toBe('links:write');
  });
});

async function refusedScope(fixture: Fixture): Promise<unknown> {
  await using _ = fixture;
  const call = client(fixture.slack).apiCall('chat.unfurl');
  return await call.catch((error: { data: { needed: string } }) => error.data.needed);
}
