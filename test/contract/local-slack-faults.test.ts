import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/local-slack/local-slack.ts';
import { client, connect, startFixture } from './local-slack-fixture.ts';

const RATE_LIMITED = { kind: 'rate_limited', retryAfterSeconds: 7 } as const;

it('refuses so many calls of one method, and lets others and later ones through', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack, undefined, { rejectRateLimitedCalls: true });

  fixture.slack.faults.storm('chat.postMessage', RATE_LIMITED, { calls: 2 });
  const post = () => web.chat.postMessage({ channel: 'C0INCIDENT', text: 'hello' });

  await expect(post()).rejects.toMatchObject({ retryAfter: 7 });
  await expect(web.auth.test()).resolves.toMatchObject({ ok: true });
  await expect(post()).rejects.toMatchObject({ retryAfter: 7 });
  await expect(post()).resolves.toMatchObject({ ok: true });
  expect(fixture.slack.messages('incidents')).toHaveLength(1);
});

it('revokes the token for every method until the time is over by its clock', async () => {
  const clock = createVirtualClock(new Date('2026-01-01T00:00:00Z'));
  await using fixture = await startFixture({ clock });
  const web = client(fixture.slack);

  fixture.slack.faults.storm('*', { kind: 'error', error: 'token_revoked' }, { seconds: 60 });
  await clock.advance(59_999);
  await expect(web.auth.test()).rejects.toMatchObject({ data: { error: 'token_revoked' } });
  await expect(web.users.list({})).rejects.toMatchObject({ data: { error: 'token_revoked' } });
  await clock.advance(1);

  await expect(web.auth.test()).resolves.toMatchObject({ ok: true });
});

it('meets what was set for one call before a storm, and nothing after a clear', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack);
  fixture.slack.faults.storm('auth.test', { kind: 'error', error: 'fatal_error' }, { seconds: 60 });
  fixture.slack.faults.next('auth.test', { kind: 'error', error: 'account_inactive' });

  await expect(web.auth.test()).rejects.toMatchObject({ data: { error: 'account_inactive' } });
  await expect(web.auth.test()).rejects.toMatchObject({ data: { error: 'fatal_error' } });
  fixture.slack.faults.clear();

  await expect(web.auth.test()).resolves.toMatchObject({ ok: true });
});

it('loses as many acknowledgements as asked, and tells the person that the app did not respond', async () => {
  await using fixture = await startFixture();
  await using _connection = await connect(fixture.slack, () => ({ text: 'Hello back' }));
  fixture.slack.faults.dropAcks(1);

  const lost = await fixture.slack.as('ana').command('incidents', '/hello');
  const taken = await fixture.slack.as('ana').command('incidents', '/hello');

  expect(lost.shown).toMatch(/did not respond/);
  expect(taken.shown).toBeNull();
  expect(fixture.slack.ephemerals('ana', 'incidents').map(({ text }) => text)).toContain('Hello back');
});
