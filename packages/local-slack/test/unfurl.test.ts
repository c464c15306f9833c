import type { EntityMetadata, EntityType } from '@slack/types';
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

const incident = (fields: Partial<EntityMetadata> = {}): EntityMetadata => ({
  entity_type: 'slack#/entities/incident' as EntityType,
  url: 'https://example.com/incidents/142',
  app_unfurl_url: LINK,
  external_ref: { id: '142' },
  entity_payload: { attributes: { title: { text: 'payments is failing' } } },
  ...fields,
});

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

  it('shows a Work Object for a link', async () => {
    await using fixture = await start();
    const ts = await mention(fixture);
    const unfurl_id = `${CHANNEL}-${ts}`;

    await client(fixture.slack).chat.unfurl({
      unfurl_id,
      source: 'conversations_history',
      metadata: { entities: [incident()] },
    });

    expect(fixture.slack.messages(CHANNEL).at(-1)?.attachments).toMatchObject([
      { from_url: LINK, title: 'payments is failing', entity: { external_ref: { id: '142' } } },
    ]);
  });

  it('asks only the author of the link to connect an account', async () => {
    await using fixture = await start();
    const ts = await mention(fixture);

    await client(fixture.slack).chat.unfurl({
      channel: CHANNEL,
      ts,
      unfurls: {},
      user_auth_required: true,
      user_auth_message: 'Connect first',
    });

    expect(fixture.slack.ephemerals('ana', CHANNEL).map(({ text }) => text)).toEqual(['Connect first']);
    expect(fixture.slack.ephemerals('ben', CHANNEL)).toEqual([]);
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
        unfurl({ unfurl_id: `${CHANNEL}-${ts}` }),
        unfurl({ unfurl_id: 'Uguessed', source: 'composer' }),
        unfurl({ unfurl_id: `${CHANNEL}-${ts}`, source: 'elsewhere' }),
        unfurl({ metadata: { entities: [incident({ external_ref: undefined as never })] } }),
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
      'missing_source',
      'invalid_unfurl_id',
      'invalid_source',
      'invalid_metadata_format',
    ]);
    await expect(startFixture().then(refusedScope)).resolves.toBe('links:write');
  });
});

async function refusedScope(fixture: Fixture): Promise<unknown> {
  await using _ = fixture;
  const call = client(fixture.slack).apiCall('chat.unfurl');
  return await call.catch((error: { data: { needed: string } }) => error.data.needed);
}

describe('Work Objects', () => {
  it('are sent with a message and returned with its metadata', async () => {
    await using fixture = await start();
    const { chat, conversations } = client(fixture.slack);
    const { app_unfurl_url: _, ...entity } = incident();
    await chat.postMessage({ channel: CHANNEL, text: '#142', metadata: { entities: [entity] } });

    const history = await conversations.history({ channel: CHANNEL, include_all_metadata: true });

    expect(history.messages).toMatchObject([{ metadata: { entities: [{ external_ref: { id: '142' } }] } }]);
  });

  it('open for the person who asked, by a trigger that works once', async () => {
    await using fixture = await start();
    const { slack } = fixture;
    const { entity } = client(slack);
    const triggers: string[] = [];
    await using _ = await connect(slack, ({ payload }) => {
      triggers.push(String(payload.trigger_id));
      return null;
    });
    await slack.as('ana').command('playground', '/hello');
    const [trigger_id = ''] = triggers;
    const present = (fields: object): Promise<string> =>
      refusal(client(slack).apiCall('entity.presentDetails', { trigger_id, metadata: incident(), ...fields }));

    expect(await present({ trigger_id: 'guessed' })).toBe('invalid_trigger_id');
    expect(await present({ metadata: { entity_type: 'slack#/entities/incident' } })).toBe('invalid_metadata');
    expect(await present({ metadata: '' })).toBe('invalid_metadata');
    expect(await present({ user_auth_required: true })).toBe('user_auth_url_missing');
    await entity.presentDetails({ trigger_id, metadata: incident() });
    expect(slack.entityDetails('ana')).toMatchObject({ entity: { external_ref: { id: '142' } }, error: null });
    expect(slack.entityDetails('ben')).toBeNull();
    expect(await present({})).toBe('invalid_trigger_id');
  });
});
