import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { type BotTeam, type BotTeamOptions, startBotTeam } from './bot-team.ts';
import { startTestService, type TestService } from './test-service.ts';

/** Runs with a bot and Tocsin's own service, which offers all that the bot can use. */
export async function withRealTeam(
  run: (team: BotTeam, service: TestService) => Promise<void>,
  options: BotTeamOptions = {},
): Promise<void> {
  await using service = await startTestService();
  const server = createAdaptorServer({ fetch: (request) => service.service.fetch(request) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await using team = await startBotTeam({ ...options, service: { baseUrl, apiKey: service.readWriteKey } });
    await run(team, service);
  } finally {
    server.close();
  }
}
