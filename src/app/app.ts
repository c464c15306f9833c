import type { LocalSlack } from 'local-slack';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type Bot, createBot } from '../bot/bot.ts';
import { EMBEDDED_SERVICE } from '../bot/start/installation.ts';
import { createServiceClient } from '../client/service-client.ts';
import type { Config } from '../config/config.ts';
import { PUSH_PATHS } from '../contract/push.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { createRealClock } from '../runtime/clock.ts';
import { publicPathOf } from '../service/http/public-path.ts';
import { openOtlpGrpc } from '../service/ingest/formats/otlp/otlp-grpc.ts';
import { openSyslog } from '../service/ingest/formats/syslog/syslog-server.ts';
import type { PrintedLink } from '../service/printed-link.ts';
import { createService, type Service } from '../service/service.ts';
import { provideFirstKey } from './first-key.ts';
import { type FrontDoor, openFrontDoor } from './front-door.ts';
import { listenFault } from './listen-fault.ts';
import { type LocalKeys, provideLocalKeys } from './local-keys.ts';
import { openLocalSlack } from './local-slack.ts';
import { createMetrics, measureDatabase } from './metrics.ts';
import { createOwnHeartbeat } from './own-heartbeat.ts';
import { startOwnTraces } from './own-traces.ts';

/** The parts of this process; null: the part does not run in this process. */
export interface App extends AsyncDisposable {
  /** Keys in files for programs on this machine; null: not provided. */
  readonly keys: LocalKeys | null;
  /** The first key of an empty database, to be shown once; null: none was created. */
  readonly firstKey: string | null;
  /** Signs in to the dashboard once, to be shown on this machine; null: the service or its database runs elsewhere. */
  readonly signInLink: PrintedLink | null;
  /** Address of the front door; null when only local Slack runs. */
  readonly url: string | null;
  readonly service: Service | null;
  readonly bot: Bot | null;
  readonly localSlack: LocalSlack | null;
  /** Makes `/readyz` fail. Everything else goes on. */
  announceStop(): void;
}

interface Deps {
  readonly config: Config;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Told what is done next while the parts start, in a few words. */
  readonly onStep: (step: string) => void;
}

/**
 * Starts the configured parts and resolves once they are listening. Disposing stops them: the bot finishes its work,
 * then the front door, the service and the database close in that order.
 */
export async function startApp(deps: Deps): Promise<App> {
  const { config, logger, onStep } = deps;
  await using started = new AsyncDisposableStack();
  const slackLogger = logger.child({ part: 'local-slack' });
  const localSlackAlone = config.parts.size === 1 && config.parts.has('local-slack');
  if (localSlackAlone) {
    const localSlack = started.use(await openLocalSlack(config, slackLogger, null));
    const parts = { url: null, keys: null, firstKey: null, signInLink: null, service: null, bot: null, localSlack };
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
  const service = config.parts.has('service') ? started.use(await openService(deps, database, door, registry)) : null;
  // Requests in flight must finish before the service and the database close.
  started.defer(() => door[Symbol.asyncDispose]());
  started.defer(() => service?.endStreams());
  const { host, otlpGrpcPort, syslog } = config.http;
  if (service !== null && otlpGrpcPort !== null) {
    started.use(
      await openOtlpGrpc(host, otlpGrpcPort, (request) => service.fetch(request)).catch((error: unknown) => {
        throw listenFault(error, { host, port: otlpGrpcPort, setting: 'OTLP_GRPC_PORT' });
      }),
    );
  }
  if (service !== null && syslog !== null) {
    const post = (body: string) => service.fetch(syslogRequest(syslog.key, body));
    started.use(
      await openSyslog(host, syslog.port, { post, logger: logger.child({ part: 'syslog' }) }).catch(
        (error: unknown) => {
          throw listenFault(error, { host, port: syslog.port, setting: 'SYSLOG_PORT' });
        },
      ),
    );
  }
  const { keys, firstKey, signInLink } =
    service === null ? { keys: null, firstKey: null, signInLink: null } : await openKeys(deps, service);
  if (config.parts.has('local-slack')) {
    onStep('local Slack');
  }
  const localSlack = config.parts.has('local-slack')
    ? started.use(await openLocalSlack(config, slackLogger, door.url))
    : null;
  const bot = config.parts.has('bot')
    ? await openBot(deps, started, { database, door, registry, keys, localSlack })
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

function openDoor({ host, port, trustedProxies, publicUrl }: Config['http']): Promise<FrontDoor> {
  return openFrontDoor(host, port, trustedProxies, publicUrl === null ? '' : publicPathOf(publicUrl));
}

function syslogRequest(key: string, body: string): Request {
  return new Request(`http://127.0.0.1${PUSH_PATHS.syslog}`, { method: 'POST', headers: { 'x-api-key': key }, body });
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

async function openService(
  { config, logger, now, onStep }: Deps,
  database: Database,
  door: FrontDoor,
  registry: Registry,
): Promise<Service> {
  onStep('the service');
  const service = await createService({
    database,
    natsUrl: config.natsUrl,
    logger: logger.child({ part: 'service' }),
    clock: createRealClock(now),
    publicUrl: config.http.publicUrl ?? door.url,
    isPublicUrlSet: config.http.publicUrl !== null,
    traceUrl: config.traceUrl,
    rateLimitPerMinute: config.rateLimitPerMinute,
    registry,
    signalRetentionDays: config.signalRetentionDays,
    auditRetentionDays: config.auditRetentionDays,
    incidentRetentionDays: config.incidentRetentionDays,
    timeWindow: config.timeWindow,
    autoCloseMinutes: config.autoCloseMinutes,
    webhooks: config.webhooks,
    ways: config.ways,
    isWatched: config.heartbeatUrl !== null,
    openId: config.openId,
  });
  door.handlers.service = service.fetch;
  return service;
}

/**
 * Local programs find their keys in files; programs on other machines start with the first key. A link is printed where
 * people can see it: on the machine of the database, and at the first start elsewhere.
 */
async function openKeys(
  { config, logger }: Deps,
  service: Service,
): Promise<Pick<App, 'keys' | 'firstKey' | 'signInLink'>> {
  const { parts, database, bootstrapKey } = config;
  const firstKey = await provideFirstKey({ service, bootstrapKey, mayMake: !parts.has('bot'), logger });
  const isDatabaseHere = database.url === null;
  const keys = parts.has('bot') || isDatabaseHere ? await provideLocalKeys(database.dataDir, service) : null;
  const signInLink = isDatabaseHere || firstKey !== null ? await service.createAdminLink() : null;
  return { keys, firstKey, signInLink };
}

interface Neighbours {
  readonly database: Database;
  readonly door: FrontDoor;
  readonly registry: Registry;
  readonly keys: LocalKeys | null;
  readonly localSlack: LocalSlack | null;
}

async function openBot(
  { config, logger, now, onStep }: Deps,
  started: AsyncDisposableStack,
  { database, door, registry, keys, localSlack }: Neighbours,
): Promise<Bot> {
  onStep('the bot');
  const address =
    config.service.kind === 'remote'
      ? { baseUrl: config.service.baseUrl, apiKey: config.service.apiKey }
      : { baseUrl: `${door.url}/v1`, apiKey: keys?.bot ?? '' };
  const serviceId = config.service.kind === 'remote' ? idOf(config.service.baseUrl) : EMBEDDED_SERVICE;
  const onUnreadable = (err: Error) => logger.warn({ err }, 'skipped an unreadable item in a list of the service');
  const client = started.use(createServiceClient({ ...address, onUnreadable }));
  const bot = started.use(
    await createBot({
      slack: slackAddress(config.slack, localSlack),
      service: client,
      serviceId,
      serviceMovedFrom: config.serviceMovedFrom,
      database,
      logger: logger.child({ part: 'bot' }),
      clock: createRealClock(now),
      channel: config.channel,
      pollMs: config.pollMs,
      naming: config.naming,
      traceUrl: config.traceUrl,
      responderGroups: config.responderGroups,
      adminGroups: config.adminGroups,
      publicUrl: config.http.publicUrl ?? door.url,
      rulesGroup: config.rulesGroup,
      retentionDays: config.botRetentionDays,
      registry,
    }),
  );
  door.handlers.slack = bot.requestListener;
  await bot.start();
  return bot;
}

/** Drops credentials and the query. */
function idOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname;
}

function slackAddress(slack: Config['slack'], localSlack: LocalSlack | null) {
  if (slack.kind === 'remote') {
    return slack;
  }
  if (localSlack === null) {
    throw new Error('the bot has neither a remote Slack nor local Slack');
  }
  return {
    apiUrl: localSlack.apiUrl,
    botToken: localSlack.botToken,
    appToken: slack.signingSecret === null ? localSlack.appToken : null,
    signingSecret: slack.signingSecret,
  };
}
