import { expect, test } from 'vitest';
import { createSlackFetch } from './clients.ts';
import { createSlackClock } from './slack-clock.ts';

const API = 'https://slack.com/api/';
const NOW = new Date('2026-01-31T08:00:00.000Z');
const now = () => NOW;
const CONNECTION = { apiUrl: API, now, clock: createSlackClock(now) };

test('reads each answer to its end, so that its connection is free again', async () => {
  const answer = new Response('ok', { status: 429, statusText: 'Slow down', headers: { 'retry-after': '7' } });
  const slackFetch = createSlackFetch({ ...CONNECTION, fetch: async () => answer });

  const given = await slackFetch('https://hooks.slack.com/actions/1');

  expect(answer.bodyUsed).toBe(true);
  expect(given).toMatchObject({ status: 429, statusText: 'Slow down' });
  expect(given.headers.get('retry-after')).toBe('7');
  expect(await given.text()).toBe('ok');
});

test('passes on an answer without a body', async () => {
  const slackFetch = createSlackFetch({ ...CONNECTION, fetch: async () => new Response(null, { status: 204 }) });

  expect(await slackFetch(`${API}chat.update`)).toMatchObject({ status: 204 });
});

test('refuses to send to an address that is not Slack’s', async () => {
  const slackFetch = createSlackFetch({ ...CONNECTION, fetch: async () => Response.json({ ok: true }) });

  await expect(slackFetch('https://slack.com.example/actions/1')).rejects.toThrow('not Slack');
});

test('measures Slack’s clock by the Date header of each answer', async () => {
  const clock = createSlackClock(now);
  const headers = { date: 'Sat, 31 Jan 2026 08:01:30 GMT' };
  const slackFetch = createSlackFetch({ ...CONNECTION, clock, fetch: async () => new Response('ok', { headers }) });

  await slackFetch(`${API}auth.test`);

  expect(clock.skewMs()).toBe(90_500);
});
