import { describe, expect, it } from 'vitest';
import type { LocalSlack } from '../src/local-slack.ts';
import { eventsOf, type Fields, heard, LISTENER } from './events-fixture.ts';
import { client, connect, startFixture } from './fixture.ts';

function messageOf(slack: LocalSlack, channel: string, text: string) {
  const found = slack.messages(channel).find((message) => message.text === text);
  if (found === undefined) {
    throw new Error(`nobody said ${text}`);
  }
  return found;
}
describe('a subscribed app gets an event for', () => {
  it('a message, in the envelope that Slack documents', async () => {
    await using fixture = await startFixture({ manifest: LISTENER });
    await using app = await connect(fixture.slack);

    await fixture.slack.as('ana').message('playground', 'it is slow & odd');

    const said = messageOf(fixture.slack, 'playground', 'it is slow &amp; odd');
    const envelope = await app.hears(({ type }) => type === 'events_api');
    expect(envelope).toMatchObject({
      envelope_id: expect.any(String),
      accepts_response_payload: false,
      retry_attempt: 0,
      retry_reason: '',
      payload: {
        type: 'event_callback',
        team_id: 'T0LOCAL001',
        api_app_id: 'A0LOCAL001',
        event_id: expect.stringMatching(/^Ev[0-9A-Z]+$/),
        event_time: expect.any(Number),
        event_context: expect.stringMatching(/^4-/),
        authorizations: [{ team_id: 'T0LOCAL001', user_id: 'U0APP00001', is_bot: true }],
        event: {
          type: 'message',
          channel: 'C0PLAYGRND',
          channel_type: 'channel',
          user: 'U0ANA00001',
          text: 'it is slow &amp; odd',
          ts: said.ts,
          event_ts: said.ts,
        },
      },
    });
  });

  it('its own message, and a reply with the author of the thread', async () => {
    await using fixture = await startFixture({ manifest: LISTENER });
    await using app = await connect(fixture.slack);
    const { ts = '' } = await client(fixture.slack).chat.postMessage({ channel: 'C0PLAYGRND', text: 'a card' });

    await fixture.slack.as('ben').message('playground', 'on it', ts);

    expect(await heard(app, { text: 'a card' })).toMatchObject({ bot_id: 'B0LOCAL001', user: 'U0APP00001' });
    expect(await heard(app, { text: 'on it' })).toMatchObject({ thread_ts: ts, parent_user_id: 'U0APP00001' });
  });

  it('an edit, with the message before and after, and a deletion', async () => {
    await using fixture = await startFixture({ manifest: LISTENER });
    const { slack } = fixture;
    await using app = await connect(slack);
    await slack.as('ana').message('playground', 'frist');
    const { ts } = messageOf(slack, 'playground', 'frist');

    slack.as('ana').edit(messageOf(slack, 'playground', 'frist'), 'first');
    slack.as('ben').delete(messageOf(slack, 'playground', 'first'));

    expect(await heard(app, { subtype: 'message_changed' })).toMatchObject({
      hidden: true,
      channel: 'C0PLAYGRND',
      message: { ts, text: 'first', edited: { user: 'U0ANA00001' } },
      previous_message: { ts, text: 'frist' },
    });
    expect(await heard(app, { subtype: 'message_deleted' })).toMatchObject({
      hidden: true,
      deleted_ts: ts,
      previous_message: { ts, text: 'first' },
    });
    expect(slack.messages('playground')).toEqual([]);
  });

  it('a mention in a channel, but in a direct message only for the message', async () => {
    await using fixture = await startFixture({ manifest: LISTENER });
    const { slack } = fixture;
    await using app = await connect(slack);
    await slack.as('ana').message('playground', '@listener hello');
    slack.as('ana').openAppHome('messages');
    const { channel } = await heard(app, { type: 'app_home_opened' });

    await slack.as('ana').message(String(channel), '@listener hello again');

    await heard(app, { type: 'message', channel_type: 'im' });
    expect(eventsOf(app).filter(({ type }) => type === 'app_mention')).toMatchObject([
      { text: '<@U0APP00001> hello', channel: 'C0PLAYGRND' },
    ]);
  });

  it('an opened Home tab, with the published view', async () => {
    await using fixture = await startFixture({ manifest: LISTENER });
    await using app = await connect(fixture.slack);
    fixture.slack.as('ana').openAppHome('home');
    await heard(app, { type: 'app_home_opened' });
    await client(fixture.slack).views.publish({ user_id: 'U0ANA00001', view: { type: 'home', blocks: [] } });

    fixture.slack.as('ana').openAppHome('home');

    await app.hears(({ payload }) => (payload?.event as Fields | undefined)?.view !== undefined);
    const [empty, full] = eventsOf(app);
    expect(empty).toMatchObject({ user: 'U0ANA00001', channel: 'D0ANA00001', tab: 'home' });
    expect(empty).not.toHaveProperty('view');
    expect(full).toMatchObject({ tab: 'home', view: { type: 'home', app_id: 'A0LOCAL001' } });
  });

  it('a link to a domain of the manifest, also in a channel without the app', async () => {
    await using fixture = await startFixture({ manifest: LISTENER });
    await using app = await connect(fixture.slack);

    await fixture.slack
      .as('ana')
      .message('general', 'see https://app.example.com/incidents/7?a=1&b=2 and https://example.org/');

    expect(await heard(app, { type: 'link_shared' })).toMatchObject({
      channel: 'C0GENERAL1',
      is_bot_user_member: false,
      user: 'U0ANA00001',
      source: 'conversations_history',
      links: [{ url: 'https://app.example.com/incidents/7?a=1&b=2', domain: 'app.example.com' }],
    });
    expect(eventsOf(app)).toHaveLength(1); // nothing of the message itself
  });

  it('people and itself joining its channels, and for an archived channel', async () => {
    await using fixture = await startFixture({ manifest: LISTENER });
    const { slack } = fixture;
    await using app = await connect(slack);

    slack.as('chloe').join('general');
    await client(slack).conversations.join({ channel: 'C0GENERAL1' });
    slack.as('chloe').leave('general');
    slack.as('chloe').join('general');
    slack.changeChannel('general', { isArchived: true });

    await heard(app, { type: 'channel_archive', channel: 'C0GENERAL1' });
    const joined = eventsOf(app).filter(({ type }) => type === 'member_joined_channel');
    expect(joined).toMatchObject([
      { user: 'U0APP00001', channel: 'C0GENERAL1', channel_type: 'C', team: 'T0LOCAL001' },
      { user: 'U0CHLOE001', channel: 'C0GENERAL1' },
    ]);
  });

  it('a pin that another person removed, with the remaining pins', async () => {
    await using fixture = await startFixture({ manifest: LISTENER });
    const { slack } = fixture;
    await using app = await connect(slack);
    await slack.as('ana').message('playground', 'one');
    await slack.as('ana').message('playground', 'two');
    slack.as('ana').pin(messageOf(slack, 'playground', 'one'));
    slack.as('ben').pin(messageOf(slack, 'playground', 'two'));

    slack.as('ben').unpin(messageOf(slack, 'playground', 'one'));
    slack.as('ana').unpin(messageOf(slack, 'playground', 'two'));

    expect(await heard(app, { type: 'pin_added', user: 'U0ANA00001' })).toMatchObject({ pin_count: '1' });
    expect(await heard(app, { type: 'pin_removed', user: 'U0BEN00001' })).toMatchObject({
      channel_id: 'C0PLAYGRND',
      item: { created_by: 'U0ANA00001', message: { text: 'one' } },
      pinned_info: { pinned_by: 'U0ANA00001' },
      has_pins: true,
    });
    expect(await heard(app, { type: 'pin_removed', user: 'U0ANA00001' })).toMatchObject({ has_pins: false });
    expect(eventsOf(app).map(({ type }) => type)).not.toContain('message_changed');
    expect(() => slack.as('ben').unpin(messageOf(slack, 'playground', 'one'))).toThrow('no_pin');
    slack.changeChannel('playground', { isArchived: true });
    expect(() => slack.as('ben').pin(messageOf(slack, 'playground', 'one'))).toThrow('archived');
  });

  it('nothing without a subscription or a scope', async () => {
    const deaf = LISTENER.replace('      - message.channels\n', '').replace('      - app_mentions:read\n', '');
    await using fixture = await startFixture({ manifest: deaf });
    await using app = await connect(fixture.slack);

    await fixture.slack.as('ana').message('playground', '@listener hello');
    fixture.slack.as('ana').openAppHome('home');

    await heard(app, { type: 'app_home_opened' });
    expect(eventsOf(app)).toHaveLength(1);
  });
});
