import { ErrorCode } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { createVirtualClock, type LocalSlack } from '../src/local-slack.ts';
import { client, connect, startFixture } from './fixture.ts';

const RATE_LIMITED = { kind: 'rate_limited', retryAfterSeconds: 7 } as const;

it('refuses a number of calls of one method, but not later ones or other methods', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack, undefined, { rejectRateLimitedCalls: true });

  fixture.slack.faults.repeat('chat.postMessage', RATE_LIMITED, { calls: 2 });
  const post = () => web.chat.postMessage({ channel: 'C0PLAYGRND', text: 'hello' });

  await expect(post()).rejects.toMatchObject({ retryAfter: 7 });
  await expect(web.auth.test()).resolves.toMatchObject({ ok: true });
  await expect(post()).rejects.toMatchObject({ retryAfter: 7 });
  await expect(post()).resolves.toMatchObject({ ok: true });
  expect(fixture.slack.messages('playground')).toHaveLength(1);
});

it('revokes the token for every method until the time is over', async () => {
  const clock = createVirtualClock(new Date('2026-01-01T00:00:00Z'));
  await using fixture = await startFixture({ clock });
  const web = client(fixture.slack);

  fixture.slack.faults.repeat('*', { kind: 'error', error: 'token_revoked' }, { seconds: 60 });
  await clock.advance(59_999);
  await expect(web.auth.test()).rejects.toMatchObject({ data: { error: 'token_revoked' } });
  await expect(web.users.list({})).rejects.toMatchObject({ data: { error: 'token_revoked' } });
  await clock.advance(1);

  await expect(web.auth.test()).resolves.toMatchObject({ ok: true });
});

it('applies a fault of the next call before a repeated one, and none after a clear', async () => {
  await using fixture = await startFixture();
  const web = client(fixture.slack);
  fixture.slack.faults.repeat('auth.test', { kind: 'error', error: 'fatal_error' }, { seconds: 60 });
  fixture.slack.faults.next('auth.test', { kind: 'error', error: 'account_inactive' });

  await expect(web.auth.test()).rejects.toMatchObject({ data: { error: 'account_inactive' } });
  await expect(web.auth.test()).rejects.toMatchObject({ data: { error: 'fatal_error' } });
  fixture.slack.faults.clear();

  await expect(web.auth.test()).resolves.toMatchObject({ ok: true });
});

it('loses a number of acknowledgements and shows an error after three seconds', async () => {
  const clock = createVirtualClock(new Date('2026-01-01T00:00:00Z'));
  await using fixture = await startFixture({ clock });
  await using connection = await connect(fixture.slack, () => ({ text: 'Hello back' }));
  fixture.slack.faults.dropAcks(1);
  const { slack } = fixture;

  const losing = slack.as('ana').command('playground', '/hello');
  await connection.hears(({ type }) => type === 'slash_commands');
  await slack.waitFor(() => slack.faults.pending().length === 0);
  await clock.advance(2_999);
  const early = slack.ephemerals('ana', 'playground').length;
  await clock.advance(1);
  const lost = await losing;
  const taken = await slack.as('ana').command('playground', '/hello');

  expect(early).toBe(0);
  expect(lost.shown).toMatch(/did not respond \(operation_timeout\)/);
  expect(taken.shown).toBeNull();
  expect(slack.ephemerals('ana', 'playground').map(({ text }) => text)).toContain('Hello back');
});

it('delays a call and then executes it', async () => {
  const clock = createVirtualClock(new Date('2026-01-01T00:00:00Z'));
  await using fixture = await startFixture({ clock });
  const { slack } = fixture;
  slack.faults.next('chat.postMessage', { kind: 'latency', ms: 4_000 });

  const slow = client(slack).chat.postMessage({ channel: 'C0PLAYGRND', text: 'late' });
  await slack.waitFor(() => slack.faults.pending().length === 0);
  await clock.advance(3_999);
  const early = slack.messages('playground').length;
  await clock.advance(1);

  await expect(slow).resolves.toMatchObject({ ok: true });
  expect(early).toBe(0);
});

it('returns by itself after being away, while the page keeps working', async () => {
  const clock = createVirtualClock(new Date('2026-01-01T00:00:00Z'));
  await using fixture = await startFixture({ clock });
  const { slack } = fixture;
  const web = client(slack);

  slack.awayFor(30);
  await expect(web.auth.test()).rejects.toMatchObject({ code: ErrorCode.RequestError });
  const page = await fetch(slack.url);
  const command = await slack.as('ana').command('playground', '/hello');
  await clock.advance(29_999);
  await expect(web.auth.test()).rejects.toMatchObject({ code: ErrorCode.RequestError });
  await clock.advance(1);

  await expect(web.auth.test()).resolves.toMatchObject({ ok: true });
  expect(page.status).toBe(200);
  expect(command.shown).toContain('dispatch_failed');
});

describe('faults set over HTTP', () => {
  const send = (slack: LocalSlack, method: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${slack.url}local/faults`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    });

  it('work like those of a test, are listed while pending, and can be cleared', async () => {
    const clock = createVirtualClock(new Date('2026-01-01T00:00:00Z'));
    await using fixture = await startFixture({ clock });
    const { slack } = fixture;
    const web = client(slack, undefined, { rejectRateLimitedCalls: true });

    const first = await send(slack, 'POST', { kind: 'rate_limited', method: 'auth.test', retry_after: 9, calls: 2 });
    await send(slack, 'POST', { kind: 'error', error: 'fatal_error', seconds: 60 });
    await expect(web.auth.test()).rejects.toMatchObject({ retryAfter: 9 });
    const listed = await (await send(slack, 'GET')).json();
    const cleared = await (await send(slack, 'DELETE')).json();

    expect(first.status).toBe(201);
    expect(listed).toEqual({
      faults: [
        { kind: 'call', method: 'auth.test', fault: { kind: 'rate_limited', retryAfterSeconds: 9 }, calls: 1 },
        {
          kind: 'call',
          method: '*',
          fault: { kind: 'error', error: 'fatal_error' },
          until: '2026-01-01T00:01:00.000Z',
        },
      ],
      isAway: false,
    });
    expect(cleared).toEqual({ faults: [], isAway: false });
    await expect(web.auth.test()).resolves.toMatchObject({ ok: true });
  });

  it('delete messages, archive channels, revoke the token and cut connections', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    await using _app = await connect(slack);
    const web = client(slack);
    const { ts = '' } = await web.chat.postMessage({ channel: 'C0PLAYGRND', text: 'a card' });

    await send(slack, 'POST', { kind: 'deleted-message', channel: 'C0PLAYGRND', ts });
    await expect(web.chat.update({ channel: 'C0PLAYGRND', ts, text: 'x' })).rejects.toMatchObject({
      data: { error: 'message_not_found' },
    });
    await send(slack, 'POST', { kind: 'archived-channel', channel: 'C0PLAYGRND' });
    await expect(web.chat.postMessage({ channel: 'C0PLAYGRND', text: 'x' })).rejects.toMatchObject({
      data: { error: 'is_archived' },
    });
    await send(slack, 'POST', { kind: 'token_revoked', seconds: 60 });
    await expect(web.auth.test()).rejects.toMatchObject({ data: { error: 'token_revoked' } });
    await send(slack, 'POST', { kind: 'cut-sockets' });
    await slack.waitFor(() => slack.connections === 0);
    const gone = await send(slack, 'POST', { kind: 'deleted-message', channel: 'C0PLAYGRND', ts });

    expect([gone.status, await gone.json()]).toEqual([409, { error: 'message_not_found' }]);
  });

  it.each([
    ['another site', { kind: 'away', seconds: 9 }, { 'sec-fetch-site': 'cross-site' }, 403, /forbidden/],
    ['a form', { kind: 'away', seconds: 9 }, { 'content-type': 'text/plain' }, 415, /application\/json/],
    ['an unknown kind', { kind: 'meteor' }, {}, 400, /kind/],
    ['a misspelt field', { kind: 'away', secnds: 9 }, {}, 400, /seconds/],
    ['calls and seconds', { kind: 'latency', ms: 5, calls: 1, seconds: 1 }, {}, 400, /not both/],
  ])('are refused from %s', async (_name, body, headers, status, reason) => {
    await using fixture = await startFixture();

    const response = await send(fixture.slack, 'POST', body, headers);

    expect(response.status).toBe(status);
    expect(((await response.json()) as { error: string }).error).toMatch(reason);
    expect(fixture.slack.faultStatus()).toEqual({ faults: [], isAway: false });
  });
});
