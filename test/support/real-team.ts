import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { type BotTeam, type BotTeamOptions, startBotTeam } from './bot-team.ts';
import { startTestService, type TestService } from './test-service.ts';

export interface RealTeam extends AsyncDisposable {
  readonly team: BotTeam;
  readonly service: TestService;
}

/** What lies between the bot and the service: it may hand a request on late, or twice. */
export type Network = (request: Request, service: (request: Request) => Promise<Response>) => Promise<Response>;

/** A bot and Tocsin's own service, which offers all that the bot can use, over one database as `npm start` has it. */
export async function startRealTeam(
  options: BotTeamOptions = {},
  serviceOptions: Parameters<typeof startTestService>[0] = {},
  network: Network = (request, service) => service(request),
): Promise<RealTeam> {
  await using scope = new AsyncDisposableStack();
  const service = scope.use(await startTestService(serviceOptions));
  const server = createAdaptorServer({
    fetch: (request) => network(request, async (each) => service.service.fetch(each)),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.defer(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const { database, readWriteKey: apiKey } = service;
  const team = scope.use(await startBotTeam({ database, ...options, service: { baseUrl, apiKey } }));
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
