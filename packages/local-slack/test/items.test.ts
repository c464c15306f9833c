import { describe, expect, it } from 'vitest';
import { createRealClock } from '../src/clock.ts';
import { LIMITS } from '../src/limits.ts';
import { ALL_SCOPES, client, type Fixture, refusal, startFixture } from './fixture.ts';

const CHANNEL = 'C0PLAYGRND';
const BOT = 'U0APP00001';

const start = (): Promise<Fixture> => startFixture({ scopes: ALL_SCOPES });

async function post(fixture: Fixture, text = 'hi'): Promise<string> {
  const { ts = '' } = await client(fixture.slack).chat.postMessage({ channel: CHANNEL, text });
  return ts;
}

describe('reactions', () => {
  it('are added to a message, returned with it, and removed', async () => {
    await using fixture = await start();
    const { reactions, conversations } = client(fixture.slack);
    const item = { channel: CHANNEL, timestamp: await post(fixture) };
    await reactions.add({ ...item, name: 'eyes' });
    await reactions.add({ ...item, name: 'thumbsup::skin-tone-4' });
    const shown = [
      { name: 'eyes', users: [BOT], count: 1 },
      { name: 'thumbsup::skin-tone-4', users: [BOT], count: 1 },
    ];

    await expect(reactions.get(item)).resolves.toMatchObject({
      type: 'message',
      channel: CHANNEL,
      message: { reactions: shown, permalink: expect.stringContaining('/archives/C0PLAYGRND/p') },
    });
    await expect(conversations.history({ channel: CHANNEL })).resolves.toMatchObject({
      messages: [{ reactions: shown }],
    });
    await expect(reactions.list()).resolves.toMatchObject({ items: [{ channel: CHANNEL, type: 'message' }] });
    await reactions.remove({ ...item, name: 'eyes' });
    await reactions.remove({ ...item, name: 'thumbsup::skin-tone-4' });
    expect((await reactions.get(item)).message).not.toHaveProperty('reactions');
    await expect(reactions.list()).resolves.toMatchObject({ items: [] });
  });

  it('are refused like by Slack', async () => {
    await using fixture = await start();
    const web = client(fixture.slack);
    const { reactions } = web;
    const timestamp = await post(fixture);
    const item = { channel: CHANNEL, timestamp };
    await reactions.add({ ...item, name: 'eyes' });

    expect(
      await Promise.all([
        refusal(reactions.add({ ...item, name: 'eyes' })),
        refusal(reactions.add({ ...item, name: ':eyes:' })),
        refusal(reactions.add({ ...item, channel: 'C0NOWHERE1', name: 'eyes' })),
        refusal(reactions.add({ ...item, channel: 'C0GENERAL1', name: 'eyes' })),
        refusal(reactions.add({ ...item, timestamp: '1.000000', name: 'eyes' })),
        refusal(reactions.add({ ...item, timestamp: 'yesterday', name: 'eyes' })),
        refusal(web.apiCall('reactions.add', { channel: CHANNEL, name: 'eyes' })),
        refusal(reactions.remove({ ...item, name: 'tada' })),
        refusal(reactions.list({ user: 'U0NOBODY01' })),
      ]),
    ).toEqual([
      'already_reacted',
      'invalid_name',
      'channel_not_found',
      'not_in_channel',
      'message_not_found',
      'bad_timestamp',
      'no_item_specified',
      'no_reaction',
      'user_not_found',
    ]);
  });

  it('of one person are limited', async () => {
    await using fixture = await start();
    const { reactions } = client(fixture.slack);
    const item = { channel: CHANNEL, timestamp: await post(fixture) };
    for (let count = 0; count < LIMITS.reactionsPerPerson; count += 1) {
      await reactions.add({ ...item, name: `emoji-${count}` });
    }

    expect(await refusal(reactions.add({ ...item, name: 'one-more' }))).toBe('too_many_reactions');
  });
});

describe('pins', () => {
  it('are listed, newest first', async () => {
    let nowMs = Date.parse('2026-03-01T12:00:00Z');
    await using fixture = await startFixture({ scopes: ALL_SCOPES, clock: createRealClock(() => new Date(nowMs)) });
    const { pins, conversations } = client(fixture.slack);
    const first = await post(fixture, 'first');
    const second = await post(fixture, 'second');
    await pins.add({ channel: CHANNEL, timestamp: first });
    nowMs += 60_000;
    await pins.add({ channel: CHANNEL, timestamp: second });

    await expect(pins.list({ channel: CHANNEL })).resolves.toMatchObject({
      items: [
        { created: nowMs / 1000, created_by: BOT, message: { ts: second, pinned_to: [CHANNEL] } },
        { created: nowMs / 1000 - 60, message: { ts: first } },
      ],
    });
    await expect(conversations.history({ channel: CHANNEL })).resolves.toMatchObject({ pin_count: 2 });
    expect(await refusal(pins.add({ channel: CHANNEL, timestamp: first }))).toBe('already_pinned');
    await pins.remove({ channel: CHANNEL, timestamp: first });
    expect(await refusal(pins.remove({ channel: CHANNEL, timestamp: first }))).toBe('no_pin');
    expect(await refusal(pins.add({ channel: CHANNEL, timestamp: '1.000000' }))).toBe('message_not_found');
    expect(await refusal(pins.list({ channel: 'C0NOWHERE1' }))).toBe('channel_not_found');
    expect(await refusal(pins.list({ channel: 'C0GENERAL1' }))).toBe('no_permission');
  });
});

describe('bookmarks', () => {
  it('are added, changed, listed and removed', async () => {
    await using fixture = await start();
    const { bookmarks } = client(fixture.slack);
    const place = { channel_id: CHANNEL };
    const added = await bookmarks.add({ ...place, type: 'link', title: 'Runbook', link: 'https://example.com/run' });
    const bookmark_id = added.bookmark?.id ?? '';
    await bookmarks.edit({ ...place, bookmark_id, title: 'Runbook 2', emoji: ':books:' });

    await expect(bookmarks.list(place)).resolves.toMatchObject({
      bookmarks: [{ id: bookmark_id, title: 'Runbook 2', link: 'https://example.com/run', emoji: ':books:' }],
    });
    await bookmarks.remove({ ...place, bookmark_id });
    await expect(bookmarks.list(place)).resolves.toMatchObject({ bookmarks: [] });
    expect(await refusal(bookmarks.remove({ ...place, bookmark_id }))).toBe('not_found');
  });

  it('are refused like by Slack', async () => {
    await using fixture = await start();
    const web = client(fixture.slack);
    const add = (fields: object): Promise<string> => {
      const valid = { channel_id: CHANNEL, type: 'link', title: 'a', link: 'https://example.com' };
      return refusal(web.apiCall('bookmarks.add', { ...valid, ...fields }));
    };

    expect(
      await Promise.all([
        add({ link: 'ftp://example.com' }),
        add({ type: 'file' }),
        add({ emoji: 'books' }),
        add({ channel_id: 'C0NOWHERE1' }),
        add({ title: '' }),
      ]),
    ).toEqual(['invalid_link', 'invalid_bookmark_type', 'invalid_emoji', 'channel_not_found', 'invalid_arguments']);
  });
});

describe('user groups', () => {
  it('are created, filled, changed, disabled and enabled', async () => {
    await using fixture = await start();
    const { usergroups } = client(fixture.slack);
    const made = await usergroups.create({ name: 'On call', channels: CHANNEL, description: 'Who answers' });
    const usergroup = made.usergroup?.id ?? '';
    await usergroups.users.update({ usergroup, users: 'U0ANA00001,U0BEN00001' });
    await usergroups.update({ usergroup, handle: 'oncall' });

    await expect(usergroups.list({ include_users: true, include_count: true })).resolves.toMatchObject({
      usergroups: [
        {
          id: usergroup,
          name: 'On call',
          handle: 'oncall',
          prefs: { channels: [CHANNEL] },
          users: ['U0ANA00001', 'U0BEN00001'],
          user_count: 2,
          date_delete: 0,
        },
      ],
    });
    await usergroups.disable({ usergroup });
    await expect(usergroups.list()).resolves.toMatchObject({ usergroups: [] });
    expect(await refusal(usergroups.users.list({ usergroup }))).toBe('no_such_subteam');
    await usergroups.enable({ usergroup });
    await expect(usergroups.users.list({ usergroup })).resolves.toMatchObject({ users: ['U0ANA00001', 'U0BEN00001'] });
  });

  it('are refused like by Slack', async () => {
    await using fixture = await start();
    const { usergroups } = client(fixture.slack);
    const { usergroup } = await usergroups.create({ name: 'On call', handle: 'oncall' });
    const id = usergroup?.id ?? '';

    expect(
      await Promise.all([
        refusal(usergroups.create({ name: '' })),
        refusal(usergroups.create({ name: 'On call', handle: 'other' })),
        refusal(usergroups.create({ name: 'Other', handle: 'oncall' })),
        refusal(usergroups.create({ name: 'Ana', handle: 'ana' })),
        refusal(usergroups.create({ name: 'Bad', handle: 'on call' })),
        refusal(usergroups.create({ name: 'Lost', channels: 'C0NOWHERE1' })),
        refusal(usergroups.update({ usergroup: 'S0NOBODY01', name: 'a' })),
        refusal(usergroups.users.update({ usergroup: id, users: '' })),
        refusal(usergroups.users.update({ usergroup: id, users: 'U0NOBODY01' })),
      ]),
    ).toEqual([
      'missing_subteam_name',
      'name_already_exists',
      'handle_already_exists',
      'handle_already_exists',
      'bad_handle',
      'invalid_channel_provided',
      'no_such_subteam',
      'no_users_provided',
      'invalid_users',
    ]);
  });
});

it('names the missing scope of each method', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack);
  const needed = async (method: string): Promise<unknown> =>
    await web.apiCall(method).catch((error: { data: { needed: string } }) => error.data.needed);

  expect(
    await Promise.all(
      ['reactions.add', 'reactions.get', 'pins.add', 'pins.list', 'bookmarks.edit', 'bookmarks.list'].map(needed),
    ),
  ).toEqual(['reactions:write', 'reactions:read', 'pins:write', 'pins:read', 'bookmarks:write', 'bookmarks:read']);
  expect(await Promise.all(['usergroups.list', 'usergroups.users.update'].map(needed))).toEqual([
    'usergroups:read',
    'usergroups:write',
  ]);
});

it('keeps all of them over a restart', async () => {
  await using fixture = await start();
  const statePath = `${fixture.dir}/workspace.json`;
  const again = (): Promise<Fixture> => startFixture({ scopes: ALL_SCOPES, statePath });
  {
    await using before = await again();
    const { pins, reactions, bookmarks, usergroups } = client(before.slack);
    const item = { channel: CHANNEL, timestamp: await post(before) };
    await pins.add(item);
    await reactions.add({ ...item, name: 'eyes' });
    await bookmarks.add({ channel_id: CHANNEL, type: 'link', title: 'a', link: 'https://example.com' });
    await usergroups.create({ name: 'On call' });
  }

  await using after = await again();
  const { bookmarks, usergroups } = client(after.slack);

  expect(after.slack.messages(CHANNEL)).toMatchObject([{ pin: { by: BOT }, reactions: [{ name: 'eyes' }] }]);
  await expect(bookmarks.list({ channel_id: CHANNEL })).resolves.toMatchObject({ bookmarks: [{ title: 'a' }] });
  await expect(usergroups.list()).resolves.toMatchObject({ usergroups: [{ handle: 'on-call' }] });
});
