import { expect, it } from 'vitest';
import { createVirtualClock, type LocalSlack } from '../src/local-slack.ts';
import { client, connect, startFixture } from './fixture.ts';

interface Entries {
  readonly entries: readonly Record<string, unknown>[];
  readonly latest: number;
}

async function inspect(slack: LocalSlack, query = ''): Promise<Entries> {
  const response = await fetch(`${slack.url}local/inspector${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Entries;
}

it('shows calls and deliveries in order, with payload, response, latency and verdict', async () => {
  const clock = createVirtualClock(new Date('2026-03-01T12:00:00Z'));
  await using fixture = await startFixture({ clock });
  const { slack } = fixture;
  await using app = await connect(slack, () => ({ text: 'Hello back' }));
  await slack.as('ana').command('playground', '/hello Ana');
  await client(slack).chat.postMessage({ channel: 'C0PLAYGRND', text: 'done' });
  await client(slack)
    .chat.postMessage({ channel: 'C0NOWHERE1', text: 'done' })
    .catch(() => null);
  const { response_url: responseUrl } = (await app.hears(({ type }) => type === 'slash_commands')).payload;
  await fetch(String(responseUrl), { method: 'POST', body: JSON.stringify({ text: 'later' }) });

  const { entries, latest } = await inspect(slack);

  expect(latest).toBe(5);
  expect(entries).toMatchObject([
    { id: 1, direction: 'to_slack', name: 'apps.connections.open', verdict: 'ok', isFine: true },
    {
      id: 2,
      at: '2026-03-01T12:00:00.000Z',
      direction: 'to_app',
      name: '/hello',
      payload: { command: '/hello', text: 'Ana', user_name: 'ana' },
      answer: { text: 'Hello back' },
      latencyMs: 0,
      verdict: 'acked in 0 ms',
      isFine: true,
    },
    {
      id: 3,
      direction: 'to_slack',
      name: 'chat.postMessage',
      payload: { channel: 'C0PLAYGRND', text: 'done' },
      answer: { ok: true, channel: 'C0PLAYGRND', message: { text: 'done' } },
      verdict: 'ok',
    },
    { id: 4, answer: { ok: false, error: 'channel_not_found' }, verdict: 'channel_not_found', isFine: false },
    { id: 5, direction: 'to_slack', name: 'response_url', payload: { body: { text: 'later' } }, verdict: 'ok' },
  ]);
});

it('shows what was not acknowledged, and after how long', async () => {
  const clock = createVirtualClock(new Date('2026-03-01T12:00:00Z'));
  await using fixture = await startFixture({ clock });
  const { slack } = fixture;
  await slack.as('ana').command('playground', '/hello');
  await using app = await connect(slack, () => 'silence');

  const said = slack.as('ana').command('playground', '/hello');
  await app.hears(({ type }) => type === 'slash_commands');
  await clock.advance(3_000);
  await said;

  const { entries } = await inspect(slack);
  expect(entries.filter(({ direction }) => direction === 'to_app')).toMatchObject([
    { verdict: 'no connection to the app', isFine: false },
    { verdict: 'not acked within 3 s', latencyMs: 3_000, isFine: false },
  ]);
});

it('returns the entries after an id, and all to a reader from before a restart', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack);
  for (let call = 0; call < 3; call += 1) {
    await web.auth.test();
  }

  const idsSince = async (query: string): Promise<unknown[]> =>
    (await inspect(fixture.slack, query)).entries.map(({ id }) => id);

  expect(await idsSince('?since=1')).toEqual([2, 3]);
  expect(await idsSince('?since=3')).toEqual([]);
  expect(await idsSince('?since=99')).toEqual([1, 2, 3]);
  expect((await fetch(`${fixture.slack.url}local/inspector?since=x`)).status).toBe(400);
});

it('keeps the last 500 entries', async () => {
  await using fixture = await startFixture();
  const call = (): Promise<unknown> => fetch(`${fixture.slack.apiUrl}auth.test`, { method: 'POST' });

  for (let batch = 0; batch < 51; batch += 1) {
    await Promise.all(Array.from({ length: 10 }, call));
  }

  const { entries, latest } = await inspect(fixture.slack);
  expect(latest).toBe(510);
  expect(entries).toHaveLength(500);
  expect(entries[0]).toMatchObject({ id: 11 });
});
