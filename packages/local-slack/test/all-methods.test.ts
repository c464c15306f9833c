import { request } from 'undici';
import { expect, it } from 'vitest';
import { METHODS } from '../src/methods/web-api.ts';
import { ALL_SCOPES, client, connect, startFixture } from './fixture.ts';

const LINK = 'https://example.com/incidents/142';
const SECTION = { type: 'section', text: { type: 'mrkdwn', text: '*#142*' } };
const TITLE = { type: 'plain_text', text: 'Say' };
const MODAL = { type: 'modal', title: TITLE, blocks: [SECTION] };

/** The fields of the responses that this test reads. */
interface Answer {
  readonly ts: string;
  readonly upload_url: string;
  readonly file_id: string;
  readonly channel: { readonly id: string };
  readonly view: { readonly id: string };
}

it('answers every method that it has', async () => {
  await using fixture = await startFixture({ scopes: ALL_SCOPES });
  const { slack } = fixture;
  const web = client(slack);
  const call = async (method: string, args?: Record<string, unknown>): Promise<Answer> =>
    (await web.apiCall(method, args)) as unknown as Answer;
  const triggers: string[] = [];
  await using _socket = await connect(slack, ({ payload }) => {
    triggers.push(String(payload.trigger_id));
    return null;
  });
  const act = async (): Promise<string> => {
    await slack.as('ana').command('playground', '/hello');
    return triggers.at(-1) ?? '';
  };

  await call('auth.test');
  await call('bots.info', { bot: 'B0LOCAL001' });
  await call('blocks.validate', { blocks: [SECTION] });

  const channel = (await call('conversations.create', { name: 'inc-142' })).channel.id;
  await call('conversations.setTopic', { channel, topic: 'payments' });
  await call('conversations.invite', { channel, users: 'U0ANA00001,U0BEN00001' });
  await call('conversations.archive', { channel });
  slack.changeChannel(channel, { isArchived: false });
  await call('conversations.join', { channel });
  await call('conversations.list', { types: 'public_channel', limit: 10 });
  await call('conversations.info', { channel });
  await call('conversations.members', { channel });
  await call('conversations.open', { users: 'U0ANA00001' });

  await call('users.list', { limit: 10 });
  await call('users.info', { user: 'U0ANA00001' });
  await call('dnd.info', { user: 'U0ANA00001' });
  await call('users.lookupByEmail', { email: 'ana@example.com' });
  await call('users.conversations', { user: 'U0APP00001' });

  const { ts } = await call('chat.postMessage', { channel, text: LINK });
  await call('chat.update', { channel, ts, text: `see ${LINK}`, blocks: [SECTION] });
  await call('chat.unfurl', { channel, ts, unfurls: { [LINK]: { blocks: [SECTION] } } });
  await call('chat.postEphemeral', { channel, user: 'U0ANA00001', text: 'only you' });
  await call('chat.getPermalink', { channel, message_ts: ts });
  const reply = await call('chat.postMessage', { channel, thread_ts: ts, text: 'reply' });

  await call('pins.add', { channel, timestamp: ts });
  await call('bookmarks.add', { channel_id: channel, title: 'Runbook', type: 'link', link: LINK });
  await call('bookmarks.list', { channel_id: channel });

  const { upload_url, file_id } = await call('files.getUploadURLExternal', { filename: 'a.log', length: 5 });
  const uploaded = await request(upload_url, { method: 'POST', body: 'ERROR' });
  await uploaded.body.dump();
  await call('files.completeUploadExternal', { files: [{ id: file_id }], channel_id: channel, thread_ts: ts });
  await call('conversations.history', { channel, include_all_metadata: true });
  await call('conversations.replies', { channel, ts });
  await call('chat.delete', { channel, ts: reply.ts });

  const usergroup = slack.as('ana').setUserGroup('oncall', ['ana']);
  await call('usergroups.users.update', { usergroup, users: 'U0ANA00001,U0BEN00001' });
  await call('usergroups.users.list', { usergroup });
  await call('usergroups.list', { include_users: true });

  const view_id = (await call('views.open', { trigger_id: await act(), view: MODAL })).view.id;
  await call('views.update', { view_id, view: { ...MODAL, blocks: [SECTION, SECTION] } });
  await call('views.push', { trigger_id: await act(), view: MODAL });
  await call('views.publish', { user_id: 'U0ANA00001', view: { type: 'home', blocks: [SECTION] } });
  await call('auth.revoke');

  const answered = slack.calls.filter(({ verdict }) => verdict === 'ok').map(({ method }) => method);
  expect([...new Set(answered)].toSorted()).toEqual(Object.keys(METHODS).toSorted());
});
