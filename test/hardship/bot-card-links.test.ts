import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import { type BotTeam, eventually, leap, startBotTeam } from '../support/bot-team.ts';
import { startRealTeam } from '../support/real-team.ts';
import { createTestClock } from '../support/test-clock.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const permalinkCalls = (team: BotTeam) => team.slack.calls.filter(({ method }) => method === 'chat.getPermalink');

async function cardsOf(service: TestService, id: string) {
  return Incident.parse(await (await service.call('GET', `/incidents/${id}`)).json()).cards ?? [];
}

const addressOf = ({ ts }: { readonly ts: string }) =>
  expect.stringMatching(`/archives/C0INCIDENT/p${ts.replace('.', '')}$`);

it('the service gets the address of a card, of the card that replaces it, and whose card it is', async () => {
  const clock = createTestClock();
  await using real = await startRealTeam({ clock });
  const { team, service } = real;
  await service.failIn(['payments']);
  const body = { type: 'slack', name: 'another workspace', config: { team_id: 'T0OTHER', app_id: 'A1' } };
  await service.call('POST', '/integrations', { body });
  const { id } = await service.openIncident();
  const card = await team.card(/payments/);
  const linked = await eventually(async () => (await cardsOf(service, id))[0]);
  const { integrations } = Object(await (await service.call('GET', '/integrations')).json());
  expect(linked).toEqual({ place: '#incidents', url: addressOf(card) });

  team.slack.as('ben').delete(card);
  await leap(team, clock, 2 * 60_000);
  const again = await team.card(/payments/);
  const address = addressOf(again);
  const relinked = await eventually(async () =>
    (await cardsOf(service, id)).find(({ url }) => address.asymmetricMatch(url)),
  );

  expect(
    [...integrations].filter(({ type }) => type === 'slack').map(({ config, state }) => [config.team_id, state]),
  ).toEqual(
    expect.arrayContaining([
      ['T0OTHER', 'waiting'],
      [expect.not.stringMatching('T0OTHER'), 'used'],
    ]),
  );
  expect(again.ts).not.toBe(card.ts);
  expect(relinked.place).toBe('#incidents');
  expect(await cardsOf(service, id)).toHaveLength(1);
});

it('an address that the service could not take is sent later', async () => {
  await using service = await startTestService();
  let refusals = 0;
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.endsWith('/cards') === true && refusals < 3) {
      refusals += 1;
      response.writeHead(503).end();
      return;
    }
    const body = request.method === 'POST' ? await buffer(request) : null;
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const answer = await service.service.fetch(
      new Request(`http://127.0.0.1${request.url}`, { method: request.method ?? 'GET', headers, body }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(request.url?.endsWith('/events') === true ? undefined : await answer.text());
  }
  const server = createServer((request, response) => void pass(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await using team = await startBotTeam({ service: { baseUrl, apiKey: service.readWriteKey } });
    await service.failIn(['payments']);
    const { id } = await service.openIncident();
    const card = await team.card(/payments/);

    expect(await eventually(async () => (await cardsOf(service, id))[0])).toEqual({
      place: '#incidents',
      url: addressOf(card),
    });
    expect(refusals).toBe(3);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it.each([
  ['without our additions', false, 0],
  ['with our additions, but not this one', true, 1],
])('a service %s is asked at most once', async (_, hasAdditions, times) => {
  await using team = await startBotTeam({ hasAdditions });
  team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);
  await eventually(() => permalinkCalls(team).length >= times);
  team.service.openIncident({ service: 'checkout' });
  const card = await team.card(/checkout/);
  await team.slack.as('ana').click(card, 'Acknowledge');
  await team.card(/Acknowledged by ana/);

  expect(permalinkCalls(team)).toHaveLength(times);
});
