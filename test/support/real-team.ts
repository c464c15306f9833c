import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { type BotTeam, type BotTeamOptions, startBotTeam } from './bot-team.ts';
import { startTestService, type TestService } from './test-service.ts';

export interface RealTeam extends AsyncDisposable {
  readonly team: BotTeam;
  readonly service: TestService;
}

/** A bot and Tocsin's own service, which offers all that the bot can use. */
export async function startRealTeam(
  options: BotTeamOptions = {},
  serviceOptions: Parameters<typeof startTestService>[0] = {},
): Promise<RealTeam> {
  await using scope = new AsyncDisposableStack();
  const service = scope.use(await startTestService(serviceOptions));
  const server = createAdaptorServer({ fetch: (request) => service.service.fetch(request) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.defer(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const team = scope.use(await startBotTeam({ ...options, service: { baseUrl, apiKey: service.readWriteKey } }));
  const owned = scope.move();
  return { team, service, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Runs with a bot and Tocsin's own service. */
export async function withRealTeam(
  run: (team: BotTeam, service: TestService) => Promise<void>,
  options: BotTeamOptions = {},
): Promise<void> {
  await using real = await startRealTeam(options);
  await run(real.team, real.service);
}
