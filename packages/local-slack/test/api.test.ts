import { join } from 'node:path';
import { ErrorCode } from '@slack/web-api';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { createVirtualClock, type LocalSlack, LocalSlackStartError, startLocalSlack } from '../src/local-slack.ts';
import { client, refusal, startFixture } from './fixture.ts';

const PLAYGROUND = 'C0PLAYGRND';
const GENERAL = 'C0GENERAL1';

describe('authentication', () => {
  it('returns the workspace and the bot of the bot token', async () => {
    await using fixture = await startFixture();

    await expect(client(fixture.slack).auth.test()).resolves.toMatchObject({
      ok: true,
      team_id: 'T0LOCAL001',
      user_id: 'U0APP00001',
      bot_id: 'B0LOCAL001',
      response_metadata: { scopes: expect.arrayContaining(['chat:write', 'commands']) },
    });
  });

  it('refuses a missing token, a wrong one and one of the wrong type', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;

    const refusals = await Promise.all([
      refusal(client(slack, '').auth.test()),
      refusal(client(slack, 'xoxb-wrong').auth.test()),
      refusal(client(slack, slack.appToken).chat.postMessage({ channel: PLAYGROUND, text: 'hi' })),
      refusal(client(slack).apps.connections.open({})),
    ]);

    expect(refusals).toEqual(['not_authed', 'invalid_auth', 'not_allowed_token_type', 'not_allowed_token_type']);
  });

  it('refuses an unknown method and one whose scope is not in the manifest', async () => {
    await using fixture = await startFixture();
    const web = client(fixture.slack);

    expect(await refusal(web.apiCall('chat.postMassage'))).toBe('unknown_method');
    await expect(web.users.lookupByEmail({ email: 'ana@example.com' })).rejects.toMatchObject({
      data: { error: 'missing_scope', needed: 'users:read.email', provided: expect.stringContaining('chat:write') },
    });
  });

  it('records every call without its token', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    await client(slack).chat.postMessage({ channel: PLAYGROUND, text: 'hi' });
    await refusal(client(slack).chat.postMessage({ channel: 'C0NOWHERE', text: 'hi', token: slack.botToken }));

    expect(slack.calls.map(({ method, verdict }) => `${method} ${verdict}`)).toEqual([
      'chat.postMessage ok',
      'chat.postMessage channel_not_found',
    ]);
    expect(JSON.stringify(slack.calls)).not.toContain(slack.botToken);
  });

  it('refuses a foreign host name and the page of another site', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await request(`${slack.url}page/state`, { headers })).statusCode;

    expect(await status({})).toBe(200);
    expect(await status({ host: 'rebound.example' })).toBe(403);
    expect(await status({ origin: 'https://elsewhere.example' })).toBe(403);
    expect(await status({ origin: slack.url.slice(0, -1) })).toBe(200);
    expect(await status({ origin: 'http://127.0.0.1' })).toBe(403);
  });
});

describe('posting', () => {
  it('accepts JSON bodies and forms', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;

    const response = await request(`${slack.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${slack.botToken}` },
      body: JSON.stringify({ channel: '#playground', blocks: [{ type: 'divider' }], text: 'fallback' }),
    });

    expect(await response.body.json()).toMatchObject({ ok: true, channel: PLAYGROUND, message: { text: 'fallback' } });
  });

  it.each([
    ['channel_not_found', { channel: 'C0NOWHERE', text: 'hi' }],
    ['not_in_channel', { channel: GENERAL, text: 'hi' }],
    ['no_text', { channel: PLAYGROUND }],
    ['thread_not_found', { channel: PLAYGROUND, text: 'hi', thread_ts: '1.000000' }],
    ['invalid_blocks_format', { channel: PLAYGROUND, text: 'hi', blocks: '[{' }],
  ])('answers %s', async (error, args) => {
    await using fixture = await startFixture();

    expect(await refusal(client(fixture.slack).apiCall('chat.postMessage', args))).toBe(error);
    expect(fixture.slack.messages('playground')).toEqual([]);
  });

  it('answers is_archived in an archived channel', async () => {
    await using fixture = await startFixture();
    fixture.slack.changeChannel('playground', { isArchived: true });

    expect(await refusal(client(fixture.slack).chat.postMessage({ channel: PLAYGROUND, text: 'hi' }))).toBe(
      'is_archived',
    );
  });

  it('opens a direct message when the channel is a person', async () => {
    await using fixture = await startFixture();

    const posted = await client(fixture.slack).chat.postMessage({ channel: 'U0ANA00001', text: 'psst' });

    expect(posted.channel).toMatch(/^D/);
    expect(fixture.slack.messages(String(posted.channel)).map(({ text }) => text)).toEqual(['psst']);
  });

  it('returns metadata only on request', async () => {
    await using fixture = await startFixture();
    const web = client(fixture.slack);
    const metadata = { event_type: 'card', event_payload: { attempt: 'a-1' } };
    await web.chat.postMessage({ channel: PLAYGROUND, text: 'hi', metadata });

    const plain = await web.conversations.history({ channel: PLAYGROUND });
    const full = await web.conversations.history({ channel: PLAYGROUND, include_all_metadata: true });

    expect(plain.messages?.[0]).not.toHaveProperty('metadata');
    expect(full.messages?.[0]).toMatchObject({ metadata });
  });

  it('sends ephemeral messages only to members of the channel', async () => {
    await using fixture = await startFixture();
    const web = client(fixture.slack);
    await web.chat.postEphemeral({ channel: PLAYGROUND, user: 'U0ANA00001', text: 'only you' });

    expect(fixture.slack.ephemerals('ana', 'playground').map(({ text }) => text)).toEqual(['only you']);
    expect(await refusal(web.chat.postEphemeral({ channel: PLAYGROUND, user: 'U0NOBODY01', text: 'x' }))).toBe(
      'user_not_in_channel',
    );
    expect((await web.conversations.history({ channel: PLAYGROUND })).messages).toEqual([]);
  });
});

describe('changing and deleting', () => {
  it('keeps, replaces and removes text and blocks like Slack', async () => {
    await using fixture = await startFixture();
    const web = client(fixture.slack);
    const { ts = '' } = await web.chat.postMessage({ channel: PLAYGROUND, text: 'one', blocks: [{ type: 'divider' }] });
    const current = (): { text: string; blocks: number; isEdited: boolean } | undefined => {
      const [message] = fixture.slack.messages('playground');
      return message && { text: message.text, blocks: message.blocks.length, isEdited: message.isEdited };
    };

    await web.chat.update({ channel: PLAYGROUND, ts, text: 'two', blocks: [{ type: 'divider' }, { type: 'divider' }] });
    const withBlocks = current();
    await web.chat.update({ channel: PLAYGROUND, ts, text: 'three' });
    const textAlone = current();

    expect(withBlocks).toEqual({ text: 'two', blocks: 2, isEdited: false });
    expect(textAlone).toEqual({ text: 'three', blocks: 0, isEdited: true });
  });

  it('lets the app change and delete only its own messages', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    const web = client(slack);
    await slack.as('ana').message('playground', 'mine');
    const ts = slack.messages('playground')[0]?.ts ?? '';

    expect(await refusal(web.chat.update({ channel: PLAYGROUND, ts, text: 'x' }))).toBe('cant_update_message');
    expect(await refusal(web.chat.delete({ channel: PLAYGROUND, ts }))).toBe('cant_delete_message');
    expect(await refusal(web.chat.update({ channel: PLAYGROUND, ts: '1.000000', text: 'x' }))).toBe(
      'message_not_found',
    );
  });
});

describe('reading', () => {
  it('pages through a channel without losing or repeating a message', async () => {
    await using fixture = await startFixture();
    const web = client(fixture.slack);
    for (let count = 1; count <= 7; count += 1) {
      await web.chat.postMessage({ channel: PLAYGROUND, text: `m${count}` });
    }

    const texts: string[] = [];
    for await (const page of web.paginate('conversations.history', { channel: PLAYGROUND, limit: 3 })) {
      texts.push(...(page as unknown as { messages: { text: string }[] }).messages.map(({ text }) => text));
    }

    expect(texts).toEqual(['m7', 'm6', 'm5', 'm4', 'm3', 'm2', 'm1']);
  });

  it('separates threads from the channel, and excludes the ends of a time range', async () => {
    await using fixture = await startFixture();
    const web = client(fixture.slack);
    const { ts: first = '' } = await web.chat.postMessage({ channel: PLAYGROUND, text: 'first' });
    await web.chat.postMessage({ channel: PLAYGROUND, text: 'reply', thread_ts: first });
    await web.chat.postMessage({ channel: PLAYGROUND, text: 'second' });

    const after = await web.conversations.history({ channel: PLAYGROUND, oldest: first });
    const from = await web.conversations.history({ channel: PLAYGROUND, oldest: first, inclusive: true });
    const thread = await web.conversations.replies({ channel: PLAYGROUND, ts: first });

    expect(after.messages?.map(({ text }) => text)).toEqual(['second']);
    expect(from.messages?.map(({ text }) => text)).toEqual(['second', 'first']);
    expect(from.messages?.[1]).toMatchObject({ reply_count: 1 });
    expect(thread.messages?.map(({ text }) => text)).toEqual(['first', 'reply']);
  });

  it('keeps a thread with replies after its first message was deleted', async () => {
    await using fixture = await startFixture();
    const web = client(fixture.slack);
    const { ts: first = '' } = await web.chat.postMessage({ channel: PLAYGROUND, text: 'first' });
    const { ts: alone = '' } = await web.chat.postMessage({ channel: PLAYGROUND, text: 'alone' });
    await web.chat.postMessage({ channel: PLAYGROUND, text: 'reply', thread_ts: first });
    await web.chat.delete({ channel: PLAYGROUND, ts: first });
    await web.chat.delete({ channel: PLAYGROUND, ts: alone });

    const thread = await web.conversations.replies({ channel: PLAYGROUND, ts: first });

    expect(thread.messages).toMatchObject([{ subtype: 'tombstone', ts: first, reply_count: 1 }, { text: 'reply' }]);
    expect(await refusal(web.conversations.replies({ channel: PLAYGROUND, ts: alone }))).toBe('thread_not_found');
  });

  it('lists channels by scope and joins public ones', async () => {
    await using fixture = await startFixture();
    const web = client(fixture.slack);

    const { channels } = await web.conversations.list();
    const beforeJoining = await refusal(web.conversations.history({ channel: GENERAL }));
    await web.conversations.join({ channel: GENERAL });

    expect(channels?.map(({ name, is_member }) => [name, is_member])).toEqual([
      ['general', false],
      ['playground', true],
    ]);
    expect(beforeJoining).toBe('not_in_channel');
    expect(await refusal(web.conversations.history({ channel: GENERAL }))).toBe('ok');
    expect(await refusal(web.conversations.list({ types: 'public_channel,private_channel' }))).toBe('missing_scope');
  });

  it('uses a ts that cannot be converted to a number and back', async () => {
    await using fixture = await startFixture();

    const { ts } = await client(fixture.slack).chat.postMessage({ channel: PLAYGROUND, text: 'hi' });

    expect(String(Number(ts))).not.toBe(ts);
  });
});

describe('faults', () => {
  it('allows a burst and then limits the rate', async () => {
    const clock = createVirtualClock(new Date('2026-03-01T12:00:00Z'));
    await using fixture = await startFixture({ clock });
    const web = client(fixture.slack, undefined, { rejectRateLimitedCalls: true });
    const post = (channel: string): Promise<unknown> => web.chat.postMessage({ channel, text: 'hi' });
    for (let count = 0; count < 30; count += 1) {
      await post(PLAYGROUND);
    }

    const error = await post(PLAYGROUND).catch((reason: unknown) => reason);
    const elsewhere = await refusal(post('U0ANA00001'));
    await clock.advance(1_000);
    const later = await refusal(post(PLAYGROUND));

    expect(error).toMatchObject({ code: ErrorCode.RateLimitedError, retryAfter: 1 });
    expect(elsewhere).toBe('ok');
    expect(later).toBe('ok');
  });

  it('fails the next call of a method: stored then 502, rate limited, refused', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    const web = client(slack, undefined, { rejectRateLimitedCalls: true });
    slack.faults.next('chat.postMessage', { kind: 'stored-then-502' });
    slack.faults.next('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 7 });
    slack.faults.next('chat.postMessage', { kind: 'error', error: 'fatal_error' });
    const post = (text: string): Promise<unknown> =>
      web.chat.postMessage({ channel: PLAYGROUND, text }).catch((reason: unknown) => reason);

    const outcomes = [await post('stored'), await post('limited'), await post('refused'), await post('fine')];

    expect(outcomes).toMatchObject([
      { code: ErrorCode.HTTPError, statusCode: 502 },
      { code: ErrorCode.RateLimitedError, retryAfter: 7 },
      { code: ErrorCode.PlatformError, data: { error: 'fatal_error' } },
      { ok: true },
    ]);
    expect(slack.messages('playground').map(({ text }) => text)).toEqual(['stored', 'fine']);
  });

  it('does not answer while it is away', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    slack.setAway(true);

    await expect(client(slack).auth.test()).rejects.toMatchObject({ code: ErrorCode.RequestError });
    slack.setAway(false);
    expect(await refusal(client(slack).auth.test())).toBe('ok');
  });
});

describe('starting', () => {
  it('shows the same workspace after a restart', async () => {
    await using fixture = await startFixture();
    const statePath = join(fixture.dir, 'state', 'workspace.json');
    const start = (): Promise<LocalSlack> =>
      startLocalSlack({ manifestPath: fixture.manifestPath, port: 0, delivery: { mode: 'socket' }, statePath });
    const before = await start();
    await client(before).chat.postMessage({ channel: PLAYGROUND, text: 'kept', blocks: [{ type: 'divider' }] });
    const kept = before.messages('playground');
    await before[Symbol.asyncDispose]();

    await using after = await start();
    const { ts = '' } = await client(after).chat.postMessage({ channel: PLAYGROUND, text: 'newer' });

    expect(after.messages('playground').slice(0, 1)).toEqual(kept);
    expect(ts > (kept[0]?.ts ?? '')).toBe(true);
  });

  it('says in one sentence that the port is in use', async () => {
    await using fixture = await startFixture();
    const port = Number(new URL(fixture.slack.url).port);
    const start = startLocalSlack({ manifestPath: fixture.manifestPath, port, delivery: { mode: 'socket' } });

    await expect(start).rejects.toThrow(LocalSlackStartError);
    await expect(start).rejects.toThrow(`port ${port} is in use`);
    await expect(start).rejects.toMatchObject({ name: 'PortTakenError', port });
  });
});
