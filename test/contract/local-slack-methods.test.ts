import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { type LocalSlack, startLocalSlack } from '../../src/local-slack/local-slack.ts';
import { client, refusal, startFixture } from './local-slack-fixture.ts';

const SCOPES = ['chat:write', 'channels:manage', 'channels:read', 'groups:write', 'groups:read', 'users.profile:read'];

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

it('makes a channel, fills it, renames it, leaves it to others and archives it', async () => {
  await using team = await startManaged();
  const web = client(team.slack);

  const { channel } = await web.conversations.create({ name: 'inc-7' });
  const id = channel?.id ?? '';
  await web.conversations.invite({ channel: id, users: 'U0ANA00001,U0BEN00001' });
  await web.conversations.rename({ channel: id, name: 'inc-7-payments' });

  await expect(web.conversations.members({ channel: id })).resolves.toMatchObject({
    members: ['U0APP00001', 'U0ANA00001', 'U0BEN00001'],
  });
  await expect(web.users.conversations({})).resolves.toMatchObject({
    channels: [{ name: 'incidents' }, { name: 'inc-7-payments' }],
  });
  await web.conversations.archive({ channel: id });
  expect(await refusal(web.chat.postMessage({ channel: id, text: 'too late' }))).toBe('is_archived');
  await web.conversations.leave({ channel: id });
  await expect(web.conversations.leave({ channel: id })).resolves.toMatchObject({ not_in_channel: true });
});

it('refuses what Slack refuses of channels', async () => {
  await using team = await startManaged();
  const web = client(team.slack);
  const channel = 'C0INCIDENT';

  const refusals = await Promise.all([
    refusal(web.conversations.create({ name: 'incidents' })),
    refusal(web.conversations.create({ name: 'With Blanks' })),
    refusal(web.conversations.create({ name: 'x'.repeat(81) })),
    refusal(web.conversations.invite({ channel, users: 'U0NOBODY01' })),
    refusal(web.conversations.invite({ channel, users: 'U0ANA00001' })),
    refusal(web.conversations.invite({ channel, users: 'U0APP00001' })),
    refusal(web.conversations.archive({ channel: 'C0GENERAL1' })),
    refusal(web.conversations.rename({ channel: 'C0NOWHERE1', name: 'a' })),
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

it('names the scope that making a channel needs', async () => {
  await using fixture = await startFixture();

  await expect(client(fixture.slack).conversations.create({ name: 'a' })).rejects.toMatchObject({
    data: { error: 'missing_scope', needed: 'channels:manage', provided: expect.stringContaining('chat:write') },
  });
});

it('gives a link to a message and to a reply in its thread', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack);
  const channel = 'C0INCIDENT';
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

it('gives a profile to who may read it', async () => {
  await using team = await startManaged();

  await expect(client(team.slack).users.profile.get({ user: 'U0ANA00001' })).resolves.toMatchObject({
    profile: { real_name: 'Ana Duarte', display_name: 'ana' },
  });
});

it('takes no call of a token that was revoked, and only tries when told to test', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack);

  await expect(web.auth.revoke({ test: true })).resolves.toMatchObject({ revoked: false });
  await expect(web.auth.test()).resolves.toMatchObject({ ok: true });
  await expect(web.auth.revoke()).resolves.toMatchObject({ revoked: true });
  expect(await refusal(web.auth.test())).toBe('token_revoked');
});

it('validates blocks, messages and views for anyone, in the shape that Slack answers', async () => {
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
