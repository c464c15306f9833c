import type { LocalSlack } from 'local-slack';
import type { Logger } from 'pino';
import type { Bot } from '../bot/bot.ts';
import type { Config } from '../config/config.ts';
import { openDatabase } from '../database/database.ts';
import { createRealClock } from '../runtime/clock.ts';
import { publicPathOf } from '../service/http/public-path.ts';
import type { Service } from '../service/service.ts';
import type { Deps } from './deps.ts';
import { type FrontDoor, openFrontDoor } from './front-door.ts';
import { createMetrics, measureDatabase } from './metrics.ts';
import type { OpenService } from './open-service.ts';
import { createOwnHeartbeat } from './own-heartbeat.ts';
import { startOwnTraces } from './own-traces.ts';

/** The parts of this process; null: the part does not run in this process. */
export interface App extends Pick<OpenService, 'keys' | 'firstKey' | 'signInLink'>, AsyncDisposable {
  /** Address of the front door; null when only local Slack runs. */
  readonly url: string | null;
  readonly service: Service | null;
  readonly bot: Bot | null;
  readonly localSlack: LocalSlack | null;
  /** Makes `/readyz` fail. Everything else goes on. */
  announceStop(): void;
}

const NO_SERVICE = { service: null, keys: null, firstKey: null, signInLink: null };

/**
 * Loads and starts the configured parts and resolves once they are listening. Disposing stops them: the bot finishes its work,
 * then the front door, the service and the database close in that order.
 */
export async function startApp(deps: Deps): Promise<App> {
  const { config, logger, onStep } = deps;
  await using started = new AsyncDisposableStack();
  const localSlackAlone = config.parts.size === 1 && config.parts.has('local-slack');
  if (localSlackAlone) {
    const localSlack = started.use(await openLocalSlack(config, logger, null));
    const parts = { ...NO_SERVICE, url: null, bot: null, localSlack };
    return present(started.move(), { ...parts, announceStop: () => undefined });
  }

  started.use(await startOwnTraces(config.ownTraces, logger));
  const door = started.use(await openDoor(config.http));
  const registry = createMetrics();
  door.handlers.metrics = registry;
  if (!config.parts.has('bot')) {
    door.handlers.slack = null;
  }
  if (!config.parts.has('service')) {
    door.handlers.service = null;
  }
  onStep(`${door.url} listens, and answers 503 until it is ready`);
  onStep(config.database.url === null ? `PostgreSQL in ${config.database.dataDir}` : 'connecting to PostgreSQL');
  const database = started.use(
    await openDatabase({ ...config.database, onStep, logger: logger.child({ part: 'database' }) }),
  );
  measureDatabase(registry, database);
  const { service, keys, firstKey, signInLink } = config.parts.has('service')
    ? await (await import('./open-service.ts')).openService(deps, started, { database, door, registry })
    : NO_SERVICE;
  // Requests in flight must finish before the service and the database close.
  started.defer(() => door[Symbol.asyncDispose]());
  started.defer(() => service?.endStreams());
  if (config.parts.has('local-slack')) {
    onStep('local Slack');
  }
  const localSlack = config.parts.has('local-slack')
    ? started.use(await openLocalSlack(config, logger, door.url))
    : null;
  const bot = config.parts.has('bot')
    ? await (await import('./open-bot.ts')).openBot(deps, started, { database, door, registry, keys, localSlack })
    : null;
  door.handlers.readiness = async () => {
    const [ofService, ofBot] = await Promise.all([service?.readiness() ?? [], bot?.readiness() ?? []]);
    // Beside a service, the bot's checks only inform: signals must be accepted while Slack is away.
    return service === null ? ofBot : [...ofService, ...ofBot.map((each) => ({ ...each, ready: true }))];
  };
  door.handlers.findProblem = async () => {
    const failed = (await door.handlers.readiness?.())?.find(({ ready }) => !ready);
    return failed === undefined
      ? ((await service?.problem()) ?? (await bot?.deliveryProblem()) ?? null)
      : `${failed.name}: ${failed.detail ?? 'not ready'}`;
  };
  startOwnHeartbeat(deps, started, door.handlers.findProblem);
  started.defer(() => door.announceStop());
  const parts = { url: door.url, keys, firstKey, signInLink, service, bot, localSlack };
  return present(started.move(), { ...parts, announceStop: () => door.announceStop() });
}

async function openLocalSlack(config: Config, logger: Logger, url: string | null): Promise<LocalSlack> {
  const code = await import('./local-slack.ts');
  return code.openLocalSlack(config, logger.child({ part: 'local-slack' }), url);
}

function openDoor({ host, port, trustedProxies, publicUrl }: Config['http']): Promise<FrontDoor> {
  return openFrontDoor(host, port, trustedProxies, publicUrl === null ? '' : publicPathOf(publicUrl));
}

function startOwnHeartbeat(
  { config, logger, now }: Deps,
  started: AsyncDisposableStack,
  findProblem: () => Promise<string | null>,
): void {
  const { heartbeatUrl: url } = config;
  if (url === null) {
    return;
  }
  started.use(createOwnHeartbeat({ url, findProblem, logger, clock: createRealClock(now) })).start();
}

function present(started: AsyncDisposableStack, parts: Omit<App, keyof AsyncDisposable>): App {
  return { ...parts, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
