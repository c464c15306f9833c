import { expect, it } from 'vitest';
import { toolMessageOf } from './tool-message.ts';

const POSTED = { bot_id: 'B1', ts: '1.000100', text: 'disk full', channel: 'C1' };

it.each([
  ['a message', POSTED, { botId: 'B1', botName: 'B1', ts: '1.000100', saidAt: '1.000100', threadTs: null }],
  ['its name', { ...POSTED, bot_profile: { name: 'Monitor' } }, { botName: 'Monitor' }],
  ['an incoming webhook', { ...POSTED, subtype: 'bot_message', username: 'Alertmanager' }, { botName: 'Alertmanager' }],
  ['a reply', { ...POSTED, thread_ts: '0.000900' }, { threadTs: '0.000900' }],
  ['a message with replies', { ...POSTED, thread_ts: '1.000100' }, { threadTs: null }],
  [
    'an edit',
    { subtype: 'message_changed', channel: 'C1', ts: '2.000100', event_ts: '2.000100', message: POSTED },
    { ts: '1.000100', saidAt: '2.000100' },
  ],
])('reads %s', (_name, event, expected) => {
  expect(toolMessageOf(event)).toMatchObject({ channelId: 'C1', ...expected });
});

it.each([
  ['a message of a person', { ...POSTED, bot_id: undefined, user: 'U1' }],
  ['a deletion', { subtype: 'message_deleted', channel: 'C1', previous_message: POSTED }],
  ['an edit by a person', { subtype: 'message_changed', channel: 'C1', message: { ts: '1.000100', user: 'U1' } }],
  ['a new topic', { ...POSTED, subtype: 'channel_topic' }],
  ['a time that is none', { ...POSTED, ts: 'soon' }],
  ['anything', 7],
])('does not read %s', (_name, event) => {
  expect(toolMessageOf(event)).toBeNull();
});
