import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { createRealClock } from '../src/clock.ts';
import { type LocalSlack, startLocalSlack } from '../src/local-slack.ts';
import { ALL_SCOPES, client, refusal, startFixture } from './fixture.ts';

const SCOPES = ['chat:write', 'channels:manage', 'channels:read', 'groups:write', 'groups:read'];

/** A local Slack whose app may manage channels. */
async function startManaged(): Promise<AsyncDisposable & { readonly slack: LocalSlack }> {
  const dir = await mkdtemp(join(tmpdir(), 'local-slack-'));
  const manifestPath = join(dir, 'manifest.yml');
  const manifest = { display_information: { name: 'Manager' }, oauth_config: { scopes: { bot: SCOPES } } };
  await writeFile(manifestPath, JSON.stringify(manifest)); // JSON is YAML
  const slack = await startLocalSlack({ manifestPath, port: 0, delivery: { mode: 'socket' } });
  return {
    slack,
    async [Symbol.asyncDispose]() {
      await slack[Symbol.asyncDispose]();
      await rm(dir, { recursive: true });
    },
  };
}

it('creates a channel, invites people and archives it', async () => {
  await using team = await startManaged();
  const web = client(team.slack);

  const { channel } = await web.conversations.create({ name: 'inc-7' });
  const id = channel?.id ?? '';
  await web.conversations.invite({ channel: id, users: 'U0ANA00001,U0BEN00001' });

  await expect(web.conversations.members({ channel: id })).resolves.toMatchObject({
    members: ['U0APP00001', 'U0ANA00001', 'U0BEN00001'],
  });
  await expect(web.users.conversations({})).resolves.toMatchObject({
    channels: [{ name: 'playground' }, { name: 'inc-7' }],
  });
  await web.conversations.archive({ channel: id });
  expect(await refusal(web.chat.postMessage({ channel: id, text: 'too late' }))).toBe('is_archived');
});

it('refuses invalid calls about channels like Slack', async () => {
  await using team = await startManaged();
  const web = client(team.slack);
  const channel = 'C0PLAYGRND';

  const refusals = await Promise.all([
    refusal(web.conversations.create({ name: 'playground' })),
    refusal(web.conversations.create({ name: 'With Blanks' })),
    refusal(web.conversations.create({ name: 'x'.repeat(81) })),
    refusal(web.conversations.invite({ channel, users: 'U0NOBODY01' })),
    refusal(web.conversations.invite({ channel, users: 'U0ANA00001' })),
    refusal(web.conversations.invite({ channel, users: 'U0APP00001' })),
    refusal(web.conversations.archive({ channel: 'C0GENERAL1' })),
    refusal(web.conversations.archive({ channel: 'C0NOWHERE1' })),
  ]);

  expect(refusals).toEqual([
    'name_taken',
    'invalid_name_specials',
    'invalid_name_maxlength',
    'user_not_found',
    'already_in_channel',
    'cant_invite_self',
    'not_in_channel',
    'channel_not_found',
  ]);
});

it('names the missing scope for creating a channel', async () => {
  await using fixture = await startFixture();

  await expect(client(fixture.slack).conversations.create({ name: 'a' })).rejects.toMatchObject({
    data: { error: 'missing_scope', needed: 'channels:manage', provided: expect.stringContaining('chat:write') },
  });
});

it('returns a link to a message and to a reply', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack);
  const channel = 'C0PLAYGRND';
  const { ts = '' } = await web.chat.postMessage({ channel, text: 'parent' });
  const reply = await web.chat.postMessage({ channel, text: 'reply', thread_ts: ts });

  const links = await Promise.all([
    web.chat.getPermalink({ channel, message_ts: ts }),
    web.chat.getPermalink({ channel, message_ts: reply.ts ?? '' }),
  ]);

  const at = (of = ''): string => `${fixture.slack.url}archives/${channel}/p${of.replace('.', '')}`;
  expect(links.map(({ permalink }) => permalink)).toEqual([at(ts), `${at(reply.ts)}?thread_ts=${ts}&cid=${channel}`]);
  expect(await refusal(web.chat.getPermalink({ channel, message_ts: '1.000000' }))).toBe('message_not_found');
});

it('refuses a revoked token, and does not revoke it in a test', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack);

  await expect(web.auth.revoke({ test: true })).resolves.toMatchObject({ revoked: false });
  await expect(web.auth.test()).resolves.toMatchObject({ ok: true });
  await expect(web.auth.revoke()).resolves.toMatchObject({ revoked: true });
  expect(await refusal(web.auth.test())).toBe('token_revoked');
});

it('validates blocks, messages and views without a token', async () => {
  await using fixture = await startFixture();
  const validate = async (body: object): Promise<unknown> => {
    const response = await request(`${fixture.slack.apiUrl}blocks.validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return await response.body.json();
  };
  const section = (type: string): object => ({ type: 'section', text: { type, text: 'hi' } });
  const error = (pointer: string): object => ({
    pointer,
    code: 'failed_constraint',
    message: 'unsupported type: html',
    constraint: { type: 'enum', expected: ['plain_text', 'mrkdwn'], got: 'html' },
  });
  const view = (type: string): object => ({ type: 'home', blocks: [section(type)] });

  expect(await validate({ blocks: [section('mrkdwn')] })).toEqual({ ok: true });
  expect(await validate({ view: view('plain_text') })).toEqual({ ok: true });
  expect(await validate({ blocks: [section('html')] })).toEqual({
    ok: false,
    error: 'invalid_blocks',
    errors: [error('/0/text/type')],
  });
  expect(await validate({ message: { blocks: [section('html')] } })).toMatchObject({
    error: 'invalid_message',
    errors: [error('/blocks/0/text/type')],
  });
  expect(await validate({ view: view('html') })).toMatchObject({
    error: 'invalid_view',
    errors: [error('/blocks/0/text/type')],
  });
  expect(await validate({ blocks: [], view: view('mrkdwn') })).toMatchObject({ error: 'invalid_arguments' });
});

it('sets the topic of a channel, but not of an archived one', async () => {
  await using team = await startManaged();
  const { conversations } = client(team.slack);
  const channel = 'C0PLAYGRND';
  const set = (topic: string, place = channel): Promise<string> =>
    refusal(conversations.setTopic({ channel: place, topic }));
  const { channel: changed } = await conversations.setTopic({ channel, topic: '#142: payments' });

  expect(changed).toMatchObject({ topic: { value: '#142: payments' } });
  expect(await set('x'.repeat(251))).toBe('too_long');
  expect(await set('mine', 'C0GENERAL1')).toBe('not_in_channel');
  await conversations.archive({ channel });
  expect(await set('late')).toBe('is_archived');
});

it('opens a direct message with one person, and refuses invalid calls like Slack', async () => {
  await using fixture = await startFixture({ scopes: ALL_SCOPES });
  const { conversations } = client(fixture.slack);

  const opened = await conversations.open({ users: 'U0ANA00001', return_im: true });

  expect(opened.channel).toMatchObject({ is_im: true, user: 'U0ANA00001' });
  expect(await refusal(conversations.open({ users: '' }))).toBe('users_list_not_supplied');
  expect(await refusal(conversations.open({ users: 'U0NOBODY01' }))).toBe('user_not_found');
});

it('replaces a Home tab only with its latest hash, and only when the manifest has a Home tab', async () => {
  await using fixture = await startFixture();
  await using homeless = await startManaged();
  const { views } = client(fixture.slack);
  const publish = (text: string, fields: object = {}): ReturnType<typeof views.publish> => {
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text } } as const];
    return views.publish({ user_id: 'U0ANA00001', view: { type: 'home', blocks, external_id: 'home-ana' }, ...fields });
  };
  const { view } = await publish('one');
  await publish('two', { hash: view?.hash });

  expect(await refusal(publish('three', { hash: view?.hash }))).toBe('hash_conflict');
  expect(await refusal(publish('ben', { user_id: 'U0BEN00001' }))).toBe('duplicate_external_id');
  expect(fixture.slack.homeView('ana')?.content.blocks).toMatchObject([{ text: { text: 'two' } }]);
  const home = { user_id: 'U0ANA00001', view: { type: 'home' as const, blocks: [] } };
  expect(await refusal(client(homeless.slack).views.publish(home))).toBe('not_enabled');
});

it('accepts attachments like Slack', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack);
  const post = (fields: object): Promise<string> =>
    refusal(web.apiCall('chat.postMessage', { channel: 'C0PLAYGRND', ...fields }));

  expect(await post({ attachments: [{ text: 'a', color: 'danger' }] })).toBe('ok');
  expect(fixture.slack.messages('playground')).toMatchObject([{ attachments: [{ text: 'a' }] }]);
  await expect(web.conversations.history({ channel: 'C0PLAYGRND', limit: 1 })).resolves.toMatchObject({
    messages: [{ attachments: [{ id: 1, text: 'a', fallback: '[no preview available]' }] }],
  });
  expect(
    await Promise.all([
      post({ attachments: Array.from({ length: 101 }, () => ({ text: 'a' })) }),
      post({ attachments: ['a'] }),
      post({ attachments: [{ blocks: [{ type: 'sektion' }] }] }),
    ]),
  ).toEqual(['too_many_attachments', ...Array(2).fill('invalid_attachments')]);
});

it('refuses an edit in an archived channel and a long one, and returns the time of an edit', async () => {
  let nowMs = Date.parse('2026-03-01T12:00:00Z');
  await using fixture = await startFixture({ clock: createRealClock(() => new Date(nowMs)) });
  const web = client(fixture.slack);
  const channel = 'C0PLAYGRND';
  const { ts = '' } = await web.chat.postMessage({ channel, text: 'a' });
  nowMs += 60_000;
  await web.chat.update({ channel, ts, text: 'b' });
  const { messages } = await web.conversations.history({ channel });

  expect(messages?.[0]?.edited).toMatchObject({ user: 'U0APP00001', ts: expect.stringMatching(`^${nowMs / 1000}\\.`) });
  expect(await refusal(web.chat.update({ channel, ts, text: 'x'.repeat(4_001) }))).toBe('msg_too_long');
  fixture.slack.changeChannel(channel, { isArchived: true });
  expect(await refusal(web.chat.update({ channel, ts, text: 'c' }))).toBe('is_inactive');
});

it('shows a broadcast reply in the channel too', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack);
  const channel = 'C0PLAYGRND';
  const { ts = '' } = await web.chat.postMessage({ channel, text: 'parent' });
  await web.chat.postMessage({ channel, thread_ts: ts, text: 'between us' });
  await web.chat.postMessage({ channel, thread_ts: ts, text: 'for all', reply_broadcast: true });

  await expect(web.conversations.history({ channel })).resolves.toMatchObject({
    messages: [
      { text: 'for all', subtype: 'thread_broadcast', thread_ts: ts },
      { text: 'parent', reply_count: 2 },
    ],
  });
});

it('takes a page size under 1,000 for the list of channels, as its documentation says', async () => {
  await using fixture = await startFixture();
  const { conversations } = client(fixture.slack);

  await expect(conversations.list({ limit: 999 })).resolves.toMatchObject({ ok: true });
  expect(await refusal(conversations.list({ limit: 1_000 }))).toBe('invalid_limit');
});
