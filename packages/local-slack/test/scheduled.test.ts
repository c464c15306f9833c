import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRealClock } from '../src/clock.ts';
import { LIMITS } from '../src/limits.ts';
import { ALL_SCOPES, client, refusal, startFixture } from './fixture.ts';

const CHANNEL = 'C0PLAYGRND';
const START_MS = Date.parse('2026-03-01T12:00:00Z');
const START = START_MS / 1000;
const DAY = 24 * 60 * 60;

it('lists scheduled messages by time and deletes them, unless they are about to be posted', async () => {
  let nowMs = START_MS;
  await using fixture = await startFixture({ scopes: ALL_SCOPES, clock: createRealClock(() => new Date(nowMs)) });
  const { chat } = client(fixture.slack);
  const late = await chat.scheduleMessage({ channel: CHANNEL, text: 'late', post_at: START + 2 * DAY });
  const soon = await chat.scheduleMessage({ channel: '#playground', text: 'soon', post_at: String(START + DAY) });
  const remove = (id = ''): Promise<string> =>
    refusal(chat.deleteScheduledMessage({ channel: CHANNEL, scheduled_message_id: id }));

  expect(soon).toMatchObject({ channel: CHANNEL, post_at: START + DAY, message: { text: 'soon' } });
  await expect(chat.scheduledMessages.list()).resolves.toMatchObject({
    scheduled_messages: [
      { id: soon.scheduled_message_id, channel_id: CHANNEL, post_at: START + DAY, date_created: START, text: 'soon' },
      { id: late.scheduled_message_id, text: 'late' },
    ],
  });
  await expect(chat.scheduledMessages.list({ latest: String(START + DAY) })).resolves.toMatchObject({
    scheduled_messages: [{ text: 'soon' }],
  });
  expect(await remove(late.scheduled_message_id)).toBe('ok');
  expect(await remove(late.scheduled_message_id)).toBe('invalid_scheduled_message_id');
  nowMs += (DAY - LIMITS.scheduleDeleteSeconds + 1) * 1000;
  expect(await remove(soon.scheduled_message_id)).toBe('invalid_scheduled_message_id');
});

it('posts overdue messages after a restart', async () => {
  let nowMs = START_MS;
  const clock = createRealClock(() => new Date(nowMs));
  await using fixture = await startFixture();
  const statePath = join(fixture.dir, 'workspace.json');
  {
    await using before = await startFixture({ clock, statePath });
    const blocks = [{ type: 'divider' as const }];
    await client(before.slack).chat.scheduleMessage({ channel: CHANNEL, text: 'a', blocks, post_at: START + 60 });
    expect(before.slack.messages(CHANNEL)).toEqual([]);
  }
  nowMs += 61_000;

  await using after = await startFixture({ clock, statePath });

  expect(after.slack.messages(CHANNEL)).toMatchObject([{ text: 'a', isFromApp: true, blocks: [{ type: 'divider' }] }]);
  await expect(client(after.slack).chat.scheduledMessages.list()).resolves.toMatchObject({ scheduled_messages: [] });
});

it('refuses invalid calls like Slack', async () => {
  await using fixture = await startFixture({ clock: createRealClock(() => new Date(START_MS)) });
  const web = client(fixture.slack);
  const schedule = (fields: object): Promise<string> =>
    refusal(web.apiCall('chat.scheduleMessage', { channel: CHANNEL, text: 'a', post_at: START + DAY, ...fields }));

  expect(
    await Promise.all([
      schedule({ post_at: START }),
      schedule({ post_at: START + 120 * DAY + 1 }),
      schedule({ post_at: 'tomorrow' }),
      schedule({ channel: 'C0NOWHERE1' }),
      schedule({ channel: 'C0GENERAL1' }),
      schedule({ text: '' }),
      schedule({ blocks: '[{"type":"sektion"}]' }),
      schedule({ post_at: START + 120 * DAY }),
      refusal(web.chat.scheduledMessages.list({ channel: 'C0NOWHERE1' })),
    ]),
  ).toEqual([
    'time_in_past',
    'time_too_far',
    'invalid_time',
    'channel_not_found',
    'not_in_channel',
    'no_text',
    'invalid_blocks',
    'ok',
    'invalid_channel',
  ]);
});

it('limits the messages of a channel within five minutes', async () => {
  await using fixture = await startFixture({ clock: createRealClock(() => new Date(START_MS)) });
  const { chat } = client(fixture.slack);
  const schedule = (postAt: number): Promise<string> =>
    refusal(chat.scheduleMessage({ channel: CHANNEL, text: 'a', post_at: postAt }));
  for (let count = 0; count < LIMITS.scheduledPerWindow; count += 1) {
    expect(await schedule(START + DAY + count)).toBe('ok');
  }

  expect(await schedule(START + DAY + 299)).toBe('restricted_too_many');
  expect(await schedule(START + DAY - 200)).toBe('restricted_too_many');
  expect(await schedule(START + DAY + LIMITS.scheduledPerWindow + 300)).toBe('ok');
});
