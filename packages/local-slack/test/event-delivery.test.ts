import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../src/local-slack.ts';
import { eventsOf, heard, LISTENER } from './events-fixture.ts';
import { connect, startFixture } from './fixture.ts';

/** A request URL that accepts events. */
async function listen(
  answer: (body: { type: string; challenge?: string }, headers: IncomingHttpHeaders, response: ServerResponse) => void,
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => answer(JSON.parse(body), incoming.headers, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('an event without an acknowledgement', () => {
  it('is retried at once, after one minute and after five more, and then no more', async () => {
    const clock = createVirtualClock(new Date('2026-03-01T12:00:00Z'));
    await using fixture = await startFixture({ manifest: LISTENER, clock });
    await using app = await connect(fixture.slack, () => 'silence');
    const attempt = (count: number): Promise<unknown> => app.hears(({ retry_attempt }) => retry_attempt === count);
    await fixture.slack.as('ana').message('playground', 'anybody there?');

    await attempt(0);
    await clock.advance(3_000);
    await attempt(1);
    await clock.advance(3_000 + 59_999);
    const beforeTheMinute = eventsOf(app).length;
    await clock.advance(1);
    await attempt(2);
    await clock.advance(3_000 + 300_000);
    await attempt(3);
    await clock.advance(3_000 + 3_600_000);

    expect(beforeTheMinute).toBe(2);
    const attempts = app.received.filter(({ type }) => type === 'events_api');
    expect(attempts.map(({ retry_attempt, retry_reason }) => [retry_attempt, retry_reason])).toEqual([
      [0, ''],
      [1, 'timeout'],
      [2, 'timeout'],
      [3, 'timeout'],
    ]);
    expect(new Set(attempts.map(({ payload }) => payload.event_id)).size).toBe(1);
    expect(new Set(attempts.map(({ envelope_id }) => envelope_id)).size).toBe(4);
  });

  it('waits for an app that connects within the minute', async () => {
    const clock = createVirtualClock(new Date('2026-03-01T12:00:00Z'));
    await using fixture = await startFixture({ manifest: LISTENER, clock });
    await fixture.slack.as('ana').message('playground', 'anybody there?');
    await fixture.slack.waitFor(() => fixture.slack.deliveries.length === 2);
    await using app = await connect(fixture.slack);

    await clock.advance(60_000);

    expect(await app.hears(({ type }) => type === 'events_api')).toMatchObject({ retry_attempt: 2 });
  });

  it('names the attempt and the reason by signed HTTP, until the app asks for no retry', async () => {
    const requests: IncomingHttpHeaders[] = [];
    await using address = await listen(({ type, challenge }, headers, response) => {
      if (type === 'url_verification') {
        response.end(challenge);
        return;
      }
      const isLast = headers['x-slack-retry-num'] === '2';
      requests.push(headers);
      response.writeHead(500, isLast ? { 'x-slack-no-retry': '1' } : {}).end();
    });
    const clock = createVirtualClock(new Date('2026-03-01T12:00:00Z'));
    const delivery = { mode: 'http', requestUrl: address.url, signingSecret: 'a secret' } as const;
    await using fixture = await startFixture({ manifest: LISTENER, clock, delivery });
    const { slack } = fixture;

    await slack.as('ana').message('playground', 'hello?');
    await slack.waitFor(() => slack.deliveries.length === 2);
    await clock.advance(60_000);
    await slack.waitFor(() => slack.deliveries.length === 3);
    await clock.advance(3_600_000);

    expect(
      requests.map((headers) => [
        headers['x-slack-retry-num'],
        headers['x-slack-retry-reason'],
        headers['content-type'],
      ]),
    ).toEqual([
      [undefined, undefined, 'application/json'],
      ['1', 'http_error', 'application/json'],
      ['2', 'http_error', 'application/json'],
    ]);
  });

  it('is not sent to a request URL that does not echo the challenge', async () => {
    const types: string[] = [];
    await using address = await listen(({ type }, _headers, response) => {
      types.push(type);
      response.end('hello');
    });
    const delivery = { mode: 'http', requestUrl: address.url, signingSecret: 'a secret' } as const;
    await using fixture = await startFixture({ manifest: LISTENER, delivery });
    const { slack } = fixture;

    await slack.as('ana').message('playground', 'hello?');
    await slack.waitFor(() => slack.deliveries.length === 2);

    expect(types).toEqual(['url_verification', 'url_verification']);
    expect(slack.deliveries.map(({ ack }) => ack.kind)).toEqual(['unreachable', 'unreachable']);
  });

  it('differs from a command, which is sent once', async () => {
    const clock = createVirtualClock(new Date('2026-03-01T12:00:00Z'));
    await using fixture = await startFixture({ clock });
    await using app = await connect(fixture.slack, () => 'silence');

    const said = fixture.slack.as('ana').command('playground', '/hello');
    await app.hears(({ type }) => type === 'slash_commands');
    await clock.advance(3_600_000);
    await said;

    expect(app.received.filter(({ type }) => type === 'slash_commands')).toHaveLength(1);
  });
});

it('sends an event twice with two event ids as a fault', async () => {
  await using fixture = await startFixture({ manifest: LISTENER });
  await using app = await connect(fixture.slack);
  fixture.slack.faults.duplicateEvents(1);

  await fixture.slack.as('ana').message('playground', 'twice');
  await fixture.slack.as('ana').message('playground', 'once');

  await heard(app, { text: 'once' });
  const envelopes = app.received.filter(({ type }) => type === 'events_api');
  expect(eventsOf(app).map(({ text }) => text)).toEqual(['twice', 'twice', 'once']);
  expect(new Set(envelopes.map(({ payload }) => payload.event_id)).size).toBe(3);
});
