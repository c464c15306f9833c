import { describe, expect, it } from 'vitest';
import type { LocalSlack } from '../src/local-slack.ts';
import { heard, LISTENER } from './events-fixture.ts';
import { client, connect, startFixture } from './fixture.ts';

async function callAs(slack: LocalSlack, tool: string, method: string, args: object): Promise<Record<string, unknown>> {
  const response = await fetch(slack.apiUrl + method, {
    method: 'POST',
    headers: { authorization: `Bearer xoxb-tool-${tool}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function hook(slack: LocalSlack, path: string, body: string, type = 'application/json') {
  const response = await fetch(`${slack.url}services/${path}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  return `${response.status} ${await response.text()}`;
}

const ALERT = { attachments: [{ title: 'disk full', color: 'danger', fields: [{ title: 'Host', value: 'web-7' }] }] };

describe('another app', () => {
  it('posts, edits and deletes, which the app hears as of a bot', async () => {
    await using fixture = await startFixture({ manifest: LISTENER });
    await using app = await connect(fixture.slack);

    const { ts } = await callAs(fixture.slack, 'monitor', 'chat.postMessage', { channel: 'playground', text: 'down' });
    await callAs(fixture.slack, 'monitor', 'chat.update', { channel: 'C0PLAYGRND', ts, text: 'up' });
    await callAs(fixture.slack, 'monitor', 'chat.delete', { channel: 'C0PLAYGRND', ts });

    const posted = await heard(app, { text: 'down' });
    expect(posted).toMatchObject({
      ts,
      bot_id: expect.stringMatching(/^B(?!0LOCAL001)/),
      app_id: expect.stringMatching(/^A(?!0LOCAL001)/),
      bot_profile: { name: 'Monitor', id: posted.bot_id },
    });
    expect(posted).not.toHaveProperty('subtype');
    expect(await heard(app, { subtype: 'message_changed' })).toMatchObject({
      message: { ts, text: 'up', bot_id: posted.bot_id, edited: { user: posted.user } },
      previous_message: { text: 'down' },
    });
    expect(await heard(app, { subtype: 'message_deleted' })).toMatchObject({ deleted_ts: ts });
  });

  it('posts by an incoming webhook, as `bot_message` without a user, with colors as Slack has them', async () => {
    await using fixture = await startFixture({ manifest: LISTENER });
    await using app = await connect(fixture.slack);

    const answer = await hook(fixture.slack, 'T0LOCAL001/playground/alertmanager', JSON.stringify(ALERT));

    expect(answer).toBe('200 ok');
    const event = await heard(app, { subtype: 'bot_message' });
    expect(event).toMatchObject({
      username: 'Alertmanager',
      bot_id: expect.any(String),
      attachments: [{ title: 'disk full', color: 'a30200' }],
    });
    expect(event).not.toHaveProperty('user');
  });

  it('is refused what Slack refuses', async () => {
    await using fixture = await startFixture({ manifest: LISTENER });
    const { slack } = fixture;
    const { ts } = await client(slack).chat.postMessage({ channel: 'C0PLAYGRND', text: 'a card' });
    const error = async (method: string, args: object) => (await callAs(slack, 'monitor', method, args)).error;

    expect(await error('chat.update', { channel: 'C0PLAYGRND', ts, text: 'mine' })).toBe('cant_update_message');
    expect(await error('chat.postMessage', { channel: 'nowhere', text: 'x' })).toBe('channel_not_found');
    expect(await error('chat.postMessage', { channel: 'playground' })).toBe('no_text');
    expect(await error('chat.postMessage', { channel: 'playground', text: 'x', thread_ts: '1.1' })).toBe(
      'thread_not_found',
    );
    expect(await error('users.list', {})).toBe('missing_scope');
    expect(await hook(slack, 'T0LOCAL001/nowhere/monitor', '{"text":"x"}')).toBe('404 channel_not_found');
    expect(await hook(slack, 'T0LOCAL001/playground/monitor', 'odd')).toBe('400 invalid_payload');
    expect(await hook(slack, 'T0OTHER/playground/monitor', '{"text":"x"}')).toBe('400 no_service');
    slack.changeChannel('playground', { isArchived: true });
    expect(await hook(slack, 'T0LOCAL001/playground/monitor', '{"text":"x"}')).toBe('410 channel_is_archived');
  });

  it('is not recorded among the calls of the app, and meets none of its faults', async () => {
    await using fixture = await startFixture({ manifest: LISTENER });
    fixture.slack.faults.repeat('*', { kind: 'error', error: 'fatal_error' }, { calls: 1 });
    const form = `payload=${encodeURIComponent(JSON.stringify({ text: 'by a form' }))}`;

    const { ok } = await callAs(fixture.slack, 'monitor', 'chat.postMessage', { channel: 'playground', text: 'x' });
    const answer = await hook(fixture.slack, 'T0LOCAL001/playground/m', form, 'application/x-www-form-urlencoded');

    expect([ok, answer]).toEqual([true, '200 ok']);
    expect(fixture.slack.calls).toEqual([]);
  });
});
