import { SlackAPIClient } from 'slack-web-api-client';
import { request } from 'undici';
import { expect, it } from 'vitest';
import type { LocalSlack } from '../src/local-slack.ts';
import { METHODS } from '../src/methods/web-api.ts';
import { ALL_SCOPES, client, connect, startFixture } from './fixture.ts';

const CHANNEL = 'C0PLAYGRND';
const LINK = 'https://example.com/incidents/142';
const SECTION = { type: 'section', text: { type: 'mrkdwn', text: '*#142*' } };
const TITLE = { type: 'plain_text', text: 'Say' };
const MODAL = { type: 'modal', title: TITLE, blocks: [SECTION] };
const ENTITY = {
  entity_type: 'slack#/entities/incident',
  url: LINK,
  external_ref: { id: '142' },
  entity_payload: { attributes: { title: { text: 'payments is failing' } } },
};

/** The fields of the responses that this test reads. */
interface Answer {
  readonly ts: string;
  readonly scheduled_message_id: string;
  readonly upload_url: string;
  readonly file_id: string;
  readonly channel: { readonly id: string };
  readonly view: { readonly id: string };
  readonly bookmark: { readonly id: string };
  readonly usergroup: { readonly id: string };
}
type Call = (method: string, args?: Record<string, unknown>) => Promise<Answer>;

const CLIENTS: Readonly<Record<string, (slack: LocalSlack) => Call>> = {
  '@slack/web-api': (slack) => {
    const web = client(slack);
    return async (method, args) => (await web.apiCall(method, args)) as unknown as Answer;
  },
  'slack-web-api-client': (slack) => {
    const web = new SlackAPIClient(slack.botToken, { baseUrl: slack.apiUrl });
    return async (method, args) => (await web.call(method, args)) as unknown as Answer;
  },
};

it.each(Object.entries(CLIENTS))('supports %s in every method', async (_name, open) => {
  await using fixture = await startFixture({ scopes: ALL_SCOPES });
  const { slack } = fixture;
  const call = open(slack);
  const triggers: string[] = [];
  await using _socket = await connect(slack, ({ payload }) => {
    triggers.push(String(payload.trigger_id));
    return null;
  });
  const act = async (): Promise<string> => {
    await slack.as('ana').command('playground', '/hello');
    return triggers.at(-1) ?? '';
  };

  await call('api.test', { foo: 'bar' });
  await call('auth.test');
  await call('team.info');
  await call('emoji.list');
  await call('bots.info', { bot: 'B0LOCAL001' });
  await call('blocks.validate', { blocks: [SECTION] });

  const channel = (await call('conversations.create', { name: 'inc-142' })).channel.id;
  await call('conversations.rename', { channel, name: 'inc-142-payments' });
  await call('conversations.setTopic', { channel, topic: 'payments' });
  await call('conversations.setPurpose', { channel, purpose: 'to end it' });
  await call('conversations.invite', { channel, users: 'U0ANA00001,U0BEN00001' });
  await call('conversations.kick', { channel, user: 'U0BEN00001' });
  await call('conversations.archive', { channel });
  await call('conversations.unarchive', { channel });
  await call('conversations.leave', { channel });
  await call('conversations.join', { channel });
  await call('conversations.list', { types: 'public_channel', limit: 10 });
  await call('conversations.info', { channel });
  await call('conversations.members', { channel });
  await call('conversations.open', { users: 'U0ANA00001' });

  await call('users.list', { limit: 10 });
  await call('users.info', { user: 'U0ANA00001' });
  await call('users.profile.get', { user: 'U0ANA00001' });
  await call('users.getPresence', { user: 'U0ANA00001' });
  await call('users.lookupByEmail', { email: 'ana@example.com' });
  await call('users.conversations', { user: 'U0APP00001' });

  const { ts } = await call('chat.postMessage', { channel, text: LINK, metadata: { entities: [ENTITY] } });
  await call('chat.update', { channel, ts, text: `see ${LINK}`, blocks: [SECTION] });
  await call('chat.unfurl', { channel, ts, unfurls: { [LINK]: { blocks: [SECTION] } } });
  await call('chat.postEphemeral', { channel, user: 'U0ANA00001', text: 'only you' });
  await call('chat.getPermalink', { channel, message_ts: ts });
  const reply = await call('chat.postMessage', { channel, thread_ts: ts, text: 'reply' });
  const post_at = Math.floor(Date.now() / 1000) + 3_600;
  const { scheduled_message_id } = await call('chat.scheduleMessage', { channel, text: 'later', post_at });
  await call('chat.scheduledMessages.list', { channel });
  await call('chat.deleteScheduledMessage', { channel, scheduled_message_id });

  await call('reactions.add', { channel, timestamp: ts, name: 'eyes' });
  await call('reactions.get', { channel, timestamp: ts });
  await call('reactions.list');
  await call('reactions.remove', { channel, timestamp: ts, name: 'eyes' });
  await call('pins.add', { channel, timestamp: ts });
  await call('pins.list', { channel });
  await call('pins.remove', { channel, timestamp: ts });
  const bookmark = { channel_id: channel, title: 'Runbook', type: 'link', link: LINK };
  const bookmark_id = (await call('bookmarks.add', bookmark)).bookmark.id;
  await call('bookmarks.edit', { channel_id: channel, bookmark_id, title: 'The runbook' });
  await call('bookmarks.list', { channel_id: channel });
  await call('bookmarks.remove', { channel_id: channel, bookmark_id });

  const { upload_url, file_id } = await call('files.getUploadURLExternal', { filename: 'a.log', length: 5 });
  const uploaded = await request(upload_url, { method: 'POST', body: 'ERROR' });
  await uploaded.body.dump();
  await call('files.completeUploadExternal', { files: [{ id: file_id }], channel_id: channel, thread_ts: ts });
  await call('files.info', { file: file_id });
  await call('files.list', { channel });
  await call('conversations.history', { channel, include_all_metadata: true });
  await call('conversations.replies', { channel, ts });
  await call('files.delete', { file: file_id });
  await call('chat.delete', { channel, ts: reply.ts });

  const usergroup = (await call('usergroups.create', { name: 'On call', channels: CHANNEL })).usergroup.id;
  await call('usergroups.update', { usergroup, handle: 'oncall' });
  await call('usergroups.users.update', { usergroup, users: 'U0ANA00001,U0BEN00001' });
  await call('usergroups.users.list', { usergroup });
  await call('usergroups.disable', { usergroup });
  await call('usergroups.enable', { usergroup });
  await call('usergroups.list', { include_users: true });

  const view_id = (await call('views.open', { trigger_id: await act(), view: MODAL })).view.id;
  await call('views.update', { view_id, view: { ...MODAL, blocks: [SECTION, SECTION] } });
  await call('views.push', { trigger_id: await act(), view: MODAL });
  await call('views.publish', { user_id: 'U0ANA00001', view: { type: 'home', blocks: [SECTION] } });
  await call('entity.presentDetails', { trigger_id: await act(), metadata: ENTITY });
  await call('auth.revoke');

  const answered = slack.calls.filter(({ verdict }) => verdict === 'ok').map(({ method }) => method);
  expect([...new Set(answered)].toSorted()).toEqual(Object.keys(METHODS).toSorted());
});
