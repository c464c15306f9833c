import { describe, expect, it } from 'vitest';
import { ALL_SCOPES, client, type Fixture, refusal, startFixture } from './fixture.ts';

const CHANNEL = 'C0PLAYGRND';
const BOT = 'U0APP00001';

const start = (): Promise<Fixture> => startFixture({ scopes: ALL_SCOPES });

async function post(fixture: Fixture, text = 'hi'): Promise<string> {
  const { ts = '' } = await client(fixture.slack).chat.postMessage({ channel: CHANNEL, text });
  return ts;
}

it('pins a message once', async () => {
  await using fixture = await start();
  const { pins, conversations } = client(fixture.slack);
  const timestamp = await post(fixture);
  await pins.add({ channel: CHANNEL, timestamp });

  expect(fixture.slack.messages(CHANNEL)).toMatchObject([{ pin: { by: BOT } }]);
  await expect(conversations.history({ channel: CHANNEL })).resolves.toMatchObject({ pin_count: 1 });
  expect(await refusal(pins.add({ channel: CHANNEL, timestamp }))).toBe('already_pinned');
  expect(await refusal(pins.add({ channel: CHANNEL, timestamp: '1.000000' }))).toBe('message_not_found');
});

describe('bookmarks', () => {
  it('are added and listed', async () => {
    await using fixture = await start();
    const { bookmarks } = client(fixture.slack);
    const bookmark = { title: 'Runbook', link: 'https://example.com/run', emoji: ':books:' };
    await bookmarks.add({ channel_id: CHANNEL, type: 'link', ...bookmark });

    await expect(bookmarks.list({ channel_id: CHANNEL })).resolves.toMatchObject({ bookmarks: [bookmark] });
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
  it('are listed with their members, who can be replaced', async () => {
    await using fixture = await start();
    const { usergroups } = client(fixture.slack);
    const usergroup = fixture.slack.as('ana').setUserGroup('oncall', ['ana']);
    await usergroups.users.update({ usergroup, users: 'U0ANA00001,U0BEN00001' });

    const users = ['U0ANA00001', 'U0BEN00001'];
    await expect(usergroups.users.list({ usergroup })).resolves.toMatchObject({ users });
    await expect(usergroups.list({ include_users: true, include_count: true })).resolves.toMatchObject({
      usergroups: [{ id: usergroup, handle: 'oncall', users, user_count: 2 }],
    });
  });

  it('are refused like by Slack', async () => {
    await using fixture = await start();
    const { users: members } = client(fixture.slack).usergroups;
    const usergroup = fixture.slack.as('ana').setUserGroup('oncall', ['ana']);

    expect(
      await Promise.all([
        refusal(members.list({ usergroup: 'S0NOBODY01' })),
        refusal(members.update({ usergroup, users: '' })),
        refusal(members.update({ usergroup, users: 'U0NOBODY01' })),
      ]),
    ).toEqual(['no_such_subteam', 'no_users_provided', 'invalid_users']);
  });
});

it('names the missing scope of each method', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack);
  const needed = async (method: string): Promise<unknown> =>
    await web.apiCall(method).catch((error: { data: { needed: string } }) => error.data.needed);

  expect(await Promise.all(['pins.add', 'bookmarks.add', 'bookmarks.list'].map(needed))).toEqual([
    'pins:write',
    'bookmarks:write',
    'bookmarks:read',
  ]);
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
    const { pins, bookmarks } = client(before.slack);
    await pins.add({ channel: CHANNEL, timestamp: await post(before) });
    await bookmarks.add({ channel_id: CHANNEL, type: 'link', title: 'a', link: 'https://example.com' });
    before.slack.as('ana').setUserGroup('on-call', ['ana']);
  }

  await using after = await again();
  const { bookmarks, usergroups } = client(after.slack);

  expect(after.slack.messages(CHANNEL)).toMatchObject([{ pin: { by: BOT } }]);
  await expect(bookmarks.list({ channel_id: CHANNEL })).resolves.toMatchObject({ bookmarks: [{ title: 'a' }] });
  await expect(usergroups.list()).resolves.toMatchObject({ usergroups: [{ handle: 'on-call' }] });
});
