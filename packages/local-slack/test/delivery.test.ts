import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModalView } from '@slack/types';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { sign } from '../src/delivery/signature.ts';
import { createVirtualClock, type LocalSlack } from '../src/local-slack.ts';
import { type Connection, client, connect, startFixture } from './fixture.ts';

const commandsOf = (connection: Connection): unknown[] =>
  connection.received.filter(({ type }) => type === 'slash_commands').map(({ payload }) => payload.text);

async function postButton(slack: LocalSlack): Promise<void> {
  await client(slack).chat.postMessage({
    channel: 'C0PLAYGRND',
    text: 'a card',
    blocks: [
      {
        type: 'actions',
        block_id: 'card',
        elements: [{ type: 'button', action_id: 'act', value: 'inc-1', text: { type: 'plain_text', text: 'Act' } }],
      },
    ],
  });
}

describe('Socket Mode', () => {
  it('sends hello, and each payload to one connection in turn', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    await using first = await connect(slack);
    await using second = await connect(slack);

    for (const text of ['one', 'two', 'three', 'four']) {
      await slack.as('ana').command('playground', `/hello ${text}`);
    }

    expect([first, second].map(({ received }) => received[0])).toMatchObject([
      { type: 'hello', num_connections: 1 },
      { type: 'hello', num_connections: 2 },
    ]);
    expect([commandsOf(first), commandsOf(second)]).toEqual([
      ['one', 'three'],
      ['two', 'four'],
    ]);
  });

  it('refuses the eleventh connection', async () => {
    await using fixture = await startFixture();
    await using stack = new AsyncDisposableStack();
    for (let count = 0; count < 10; count += 1) {
      stack.use(await connect(fixture.slack));
    }

    await using eleventh = await connect(fixture.slack);

    expect(eleventh.received[0]).toMatchObject({ type: 'disconnect', reason: 'too_many_websockets' });
    expect(fixture.slack.connections).toBe(10);
  });

  it('accepts a ticket once', async () => {
    await using fixture = await startFixture();
    const web = client(fixture.slack, fixture.slack.appToken);
    const { url = '' } = await web.apps.connections.open({});
    const used = new WebSocket(url);
    await once(used, 'open');
    const again = new WebSocket(url);

    const [error] = (await once(again, 'error')) as [Error];
    used.terminate();

    expect(error.message).toContain('403');
  });

  it('shows an error when the app does not respond in time', async () => {
    const clock = createVirtualClock(new Date());
    await using fixture = await startFixture({ clock });
    const { slack } = fixture;
    await using silent = await connect(slack, () => 'silence');

    const said = slack.as('ana').command('playground', '/hello');
    await silent.hears(({ type }) => type === 'slash_commands');
    await clock.advance(3_000);
    const outcome = await said;

    expect(outcome).toMatchObject({ ack: { kind: 'timeout' }, shown: expect.stringContaining('did not respond') });
    expect(slack.ephemerals('ana', 'playground')).toMatchObject([{ from: 'slackbot', text: outcome.shown }]);
  });

  it('sends a click like Slack', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    await using connection = await connect(slack);
    await postButton(slack);
    const [message] = slack.messages('playground');
    if (message === undefined) {
      throw new Error('the card was not posted');
    }

    await slack.as('ben').click(message, 'act');

    expect(connection.received[1]).toMatchObject({
      type: 'interactive',
      accepts_response_payload: true,
      payload: {
        type: 'block_actions',
        user: { id: 'U0BEN00001', username: 'ben', name: 'ben', team_id: 'T0LOCAL001' },
        team: { id: 'T0LOCAL001', domain: 'local-slack' },
        api_app_id: 'A0LOCAL001',
        channel: { id: 'C0PLAYGRND', name: 'playground' },
        container: { type: 'message', message_ts: message.ts, channel_id: 'C0PLAYGRND', is_ephemeral: false },
        message: { ts: message.ts, text: 'a card', bot_id: 'B0LOCAL001' },
        actions: [{ type: 'button', action_id: 'act', block_id: 'card', value: 'inc-1' }],
        trigger_id: expect.any(String),
        response_url: expect.stringContaining(`${slack.url}response/`),
      },
    });
  });
});

describe('trigger_id and response_url', () => {
  it('opens one modal within three seconds', async () => {
    const clock = createVirtualClock(new Date('2026-03-01T12:00:00Z'));
    await using fixture = await startFixture({ clock });
    const { slack } = fixture;
    await using connection = await connect(slack);
    const web = client(slack);
    const view: ModalView = { type: 'modal', title: { type: 'plain_text', text: 'A modal' }, blocks: [] };
    const open = async (typed: string): Promise<(afterMs: number) => Promise<string>> => {
      await slack.as('ana').command('playground', typed);
      const trigger_id = String(connection.received.at(-1)?.payload.trigger_id);
      return async (afterMs) => {
        await clock.advance(afterMs);
        return await web.views.open({ trigger_id, view }).then(
          () => 'ok',
          ({ data }: { data: { error: string } }) => data.error,
        );
      };
    };

    const inTime = await open('/hello one');
    const verdicts = [await inTime(2_900), await inTime(0)];
    const late = await open('/hello two');
    verdicts.push(await late(3_001));

    expect(verdicts).toEqual(['ok', 'exchanged_trigger_id', 'expired_trigger_id']);
    expect(slack.openViews('ana')).toHaveLength(1);
  });

  it('accepts five responses within half an hour', async () => {
    const clock = createVirtualClock(new Date('2026-03-01T12:00:00Z'));
    await using fixture = await startFixture({ clock });
    const { slack } = fixture;
    await using connection = await connect(slack);
    const answer = async (url: unknown): Promise<unknown[]> => {
      const response = await request(String(url), { method: 'POST', body: JSON.stringify({ text: 'hi' }) });
      return [response.statusCode, await response.body.json()];
    };
    await slack.as('ana').command('playground', '/hello');
    const { response_url: url } = connection.received[1]?.payload ?? {};
    await slack.as('ana').command('playground', '/hello');
    const { response_url: later } = connection.received[2]?.payload ?? {};

    for (let count = 0; count < 5; count += 1) {
      expect(await answer(url)).toEqual([200, { ok: true }]);
    }
    const sixth = await answer(url);
    await clock.advance(30 * 60_000 + 1);
    const tooLate = await answer(later);

    expect(sixth).toEqual([404, { ok: false, error: 'used_url' }]);
    expect(tooLate).toEqual([404, { ok: false, error: 'expired_url' }]);
    expect(slack.ephemerals('ana', 'playground')).toHaveLength(5);
  });
});

it('replaces no message by the response_url of a command, whatever it is asked to', async () => {
  await using fixture = await startFixture();
  const { slack } = fixture;
  await using connection = await connect(slack);
  await slack.as('ana').command('playground', '/hello');
  const url = String(connection.received.at(-1)?.payload?.response_url);
  const respond = (body: object) => request(url, { method: 'POST', body: JSON.stringify(body) });

  await respond({ text: 'list' });
  await respond({ text: 'list, again', replace_original: true });
  await respond({ delete_original: true });

  expect(slack.ephemerals('ana', 'playground').map(({ text }) => text)).toEqual(['list', 'list, again']);
});

it('replaces the message in which somebody acted, also after another response', async () => {
  await using fixture = await startFixture();
  const { slack } = fixture;
  await using connection = await connect(slack);
  const button = { type: 'button', action_id: 'act', text: { type: 'plain_text', text: 'Act' } };
  const blocks = [{ type: 'actions', block_id: 'row', elements: [button] }];
  await client(slack).apiCall('chat.postEphemeral', {
    channel: 'C0PLAYGRND',
    user: 'U0ANA00001',
    text: 'list',
    blocks,
  });
  const [list] = slack.ephemerals('ana', 'playground');
  expect.assert(list);
  await slack.as('ana').click(list, 'Act');
  const url = String(connection.received.at(-1)?.payload?.response_url);
  const respond = (body: object) => request(url, { method: 'POST', body: JSON.stringify(body) });

  await respond({ text: 'receipt', replace_original: false });
  await respond({ text: 'list, again', replace_original: true });

  expect(slack.ephemerals('ana', 'playground').map(({ text }) => text)).toEqual(['list, again', 'receipt']);
});

describe('signed HTTP', () => {
  it('signs as in Slack’s published example', () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';

    expect(sign('8f742231b10e8888abcd99yyyzzz85a5', 1531420618, body)).toBe(
      'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    );
  });

  it('sends a form without a charset, and reports the status of a failing app', async () => {
    const types: (string | undefined)[] = [];
    const server = createServer((incoming, response) => {
      types.push(incoming.headers['content-type']);
      response.writeHead(500).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const requestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await using fixture = await startFixture({ delivery: { mode: 'http', requestUrl, signingSecret: 'a secret' } });

    const refused = await fixture.slack.as('ana').command('playground', '/hello');
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    const unreachable = await fixture.slack.as('ana').command('playground', '/hello');

    expect(types).toEqual(['application/x-www-form-urlencoded']);
    expect(refused).toMatchObject({ ack: { kind: 'refused', status: 500 } });
    expect(refused.shown).toContain('http_service_error');
    expect(unreachable).toMatchObject({ ack: { kind: 'unreachable' } });
  });
});
