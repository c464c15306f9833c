import { expect, test } from 'vitest';
import { createSlackFetch } from './clients.ts';

const API = 'https://slack.com/api/';

test('an answer is read to its end though whoever asked does not, so that its connection is free again', async () => {
  const answer = new Response('ok', { status: 429, statusText: 'Slow down', headers: { 'retry-after': '7' } });
  const slackFetch = createSlackFetch(API, async () => answer);

  const given = await slackFetch('https://hooks.slack.com/actions/1');

  expect(answer.bodyUsed).toBe(true);
  expect(given).toMatchObject({ status: 429, statusText: 'Slow down' });
  expect(given.headers.get('retry-after')).toBe('7');
  expect(await given.text()).toBe('ok');
});

test('an answer without a body stays one', async () => {
  const slackFetch = createSlackFetch(API, async () => new Response(null, { status: 204 }));

  expect(await slackFetch(`${API}chat.update`)).toMatchObject({ status: 204 });
});

test('nothing is sent to an address that is not of Slack', async () => {
  const slackFetch = createSlackFetch(API, async () => Response.json({ ok: true }));

  await expect(slackFetch('https://slack.com.example/actions/1')).rejects.toThrow('not Slack');
});
