import { type Logger, pino } from 'pino';
import { type Clock, createRealClock } from './clock.ts';
import { createFaultControl, type FaultControl } from './control/fault-control.ts';
import { createInspector } from './control/inspector.ts';
import { createPanelBoard } from './control/panel.ts';
import { createLocalRoutes } from './control/routes.ts';
import { createDispatcher, type RecordedDelivery } from './delivery/dispatcher.ts';
import { createEventFeed } from './delivery/event-feed.ts';
import { eventPayload } from './delivery/payloads.ts';
import { createResponseUrls } from './delivery/response-url.ts';
import { createTransport, type DeliveryChoice, type Transport } from './delivery/transport.ts';
import { createFaults } from './faults/faults.ts';
import { readManifest } from './manifest.ts';
import { createPostLimiter } from './methods/rate-limit.ts';
import { receiveWebhook } from './methods/tools.ts';
import { createWebApi, type RecordedCall } from './methods/web-api.ts';
import { createPage } from './page/page.ts';
import { type Actor, createActor } from './people/actor.ts';
import { createSuggestions } from './people/suggestions.ts';
import { createRouter } from './router.ts';
import { listenOnLoopback } from './server.ts';
import { waitFor } from './wait-for.ts';
import { createFileBytes } from './workspace/file-bytes.ts';
import type { Channel, Ephemeral, Message, Person, View } from './workspace/model.ts';
import { isShared } from './workspace/present.ts';
import { APP_TOKEN, type AppChannel, BOT_TOKEN, PLAYGROUND } from './workspace/seed.ts';
import { keepSnapshot, readSnapshot } from './workspace/snapshot.ts';
import { createTriggers } from './workspace/triggers.ts';
import { createWorkspace, type Workspace } from './workspace/workspace.ts';

export { type Clock, createRealClock, createVirtualClock } from './clock.ts';
export { LocalSlackStartError, PortTakenError } from './errors.ts';

export interface LocalSlackOptions {
  /** The app manifest, YAML or JSON. */
  readonly manifestPath: string;
  /** 0: any free port. */
  readonly port: number;
  /** How commands, clicks and events reach the app. */
  readonly delivery: DeliveryChoice;
  /** Domains besides those of the manifest whose links the app may unfurl. */
  readonly unfurlDomains?: readonly string[];
  /** The channel that the app is in from the first start. Default: `#playground`. */
  readonly channel?: Partial<AppChannel>;
  /** File that keeps the workspace between restarts. Default: a new workspace at each start. */
  readonly statePath?: string;
  readonly logger?: Logger;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

export interface LocalSlack extends FaultControl, AsyncDisposable {
  /** Address of the page. */
  readonly url: string;
  /** Base URL of the Web API, for example `slackApiUrl` of Bolt. Ends in `/api/`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  /** How commands, clicks and events reach the app. */
  readonly transport: Transport['name'];
  /** The app's name, from its manifest. */
  readonly appName: string;

  /** Acts as a person, given by handle or id. */
  as(person: string): Actor;
  /** The messages of a channel, given by name or id: oldest first, with threads. */
  messages(channel: string): readonly Message[];
  ephemerals(person: string, channel: string): readonly Ephemeral[];
  /** The stack of open modals. The last one is visible. */
  openViews(person: string): readonly View[];
  homeView(person: string): View | null;
  /** Web API calls, newest last, without their tokens. */
  readonly calls: readonly RecordedCall[];
  /** Attempts to deliver something to the app, newest last. */
  readonly deliveries: readonly RecordedDelivery[];
  /** Number of open Socket Mode connections. */
  readonly connections: number;
  /**
   * Waits until `find` returns something else than null, undefined or false.
   *
   * @throws Error after `timeoutMs`, 150 s by default: a limit is for what hangs
   */
  waitFor<T>(find: () => T | null | undefined | false, timeoutMs?: number): Promise<T>;

  changeChannel(channel: string, change: { isArchived?: boolean; members?: readonly string[] }): void;
  /** Signed HTTP only: the two checks that Slack makes of a request URL. */
  checkRequestUrl(): Promise<{ readonly urlVerification: boolean; readonly sslCheck: boolean }>;
}

/** @throws LocalSlackStartError when the manifest or the state file is invalid, or the port is in use */
export async function startLocalSlack(options: LocalSlackOptions): Promise<LocalSlack> {
  await using scope = new AsyncDisposableStack();
  const logger = options.logger ?? pino({ level: 'silent' });
  const clock = options.clock ?? createRealClock();
  const now = clock.now;
  const manifest = await readManifest(options.manifestPath, options.unfurlDomains);
  const appChannel: AppChannel = { ...PLAYGROUND, ...options.channel };
  const workspace = createWorkspace({
    botName: manifest.features.bot_user?.display_name ?? manifest.display_information.name,
    appChannel,
    now,
    snapshot: options.statePath === undefined ? null : await readSnapshot(options.statePath),
  });
  if (options.statePath !== undefined) {
    const onError = (err: unknown): void => logger.warn({ err }, 'the workspace could not be saved');
    scope.use(keepSnapshot(workspace, options.statePath, onError));
  }

  const observers = new Set<() => void>();
  const notify = (): void => {
    for (const observer of observers) {
      observer();
    }
  };
  workspace.onChange(notify);

  let baseUrl = '';
  const inspector = createInspector();
  const triggers = createTriggers(now);
  const suggestions = createSuggestions();
  const faults = createFaults(now, notify);
  const responses = createResponseUrls({
    workspace,
    clock,
    faults,
    onAnswered: ({ body, ...response }) =>
      inspector.noteCall({ method: 'response_url', args: { body }, at: now(), latencyMs: 0, ...response }),
  });
  const transport = createTransport(options.delivery, manifest, { clock, logger, onChange: notify });
  const { sockets, http } = transport;
  scope.use(transport.delivery);
  const control = createFaultControl({ faults, sockets, clock, onChange: notify });
  const dispatcher = scope.use(
    createDispatcher({
      channel: transport.delivery,
      clock,
      faults,
      isAway: () => control.faultStatus().isAway,
      wrap(event) {
        const channel = workspace.findChannel(String(event.channel));
        const eventId = workspace.nextId('Ev');
        return eventPayload({ event, eventId, at: now(), isShared: channel !== null && isShared(channel, workspace) });
      },
      onDelivered(delivered) {
        logger.debug({ type: delivered.envelope.type, ack: delivered.ack.kind }, 'delivered');
        inspector.noteDelivery(delivered);
        notify();
      },
    }),
  );
  const events = createEventFeed({ workspace, manifest, dispatcher, now, logger });

  const fileBytes = createFileBytes({
    workspace,
    mayReadFiles: manifest.oauth_config.scopes.bot.includes('files:read'),
    now,
  });
  const webApi = createWebApi({
    workspace,
    manifest,
    triggers,
    faults,
    clock,
    now,
    limiter: createPostLimiter(now),
    fileBytes,
    workspaceUrl: () => `${baseUrl}/`,
    openSocket: () => (sockets === null ? null : `${baseUrl.replace('http:', 'ws:')}${sockets.issueTicket()}`),
    onCall(call) {
      inspector.noteCall(call);
      notify();
    },
  });
  const actorOf = (person: Person): Actor =>
    createActor(
      {
        workspace,
        manifest,
        triggers,
        suggestions,
        responses,
        delivery: dispatcher,
        events,
        now,
        baseUrl: () => baseUrl,
      },
      person,
    );
  const page = createPage({
    workspace,
    manifest,
    appChannel,
    actorOf,
    logger,
    isAppConnected: () => !control.faultStatus().isAway && (sockets === null || sockets.connections > 0),
  });
  observers.add(() => page.announce('changed'));
  const panels = createPanelBoard(clock, () => page.announce('panel'));
  const localRoutes = createLocalRoutes({ control, inspector, panels, workspace });

  const server = await listenOnLoopback({
    port: options.port,
    sockets,
    isAway: () => control.faultStatus().isAway,
    fetch: createRouter([
      ['/api/', (request, path) => webApi.answer(request, path.slice('/api/'.length))],
      ['/services/', (request, path) => receiveWebhook(request, path, { workspace })],
      ['/upload/', (request) => fileBytes.receive(request)],
      ['/files/', (request) => fileBytes.serve(request)],
      ['/response/', (request, path) => responses.answer(request, path)],
      ['/local/', (request) => localRoutes.fetch(request)],
      ['/', (request) => page.fetch(request)],
    ]),
    now,
    logger,
  });
  scope.use(server);
  scope.use(page); // closed first, because its streams would keep the server open
  baseUrl = server.url;
  const owned = scope.move();

  return {
    ...control,
    url: `${baseUrl}/`,
    apiUrl: `${baseUrl}/api/`,
    botToken: BOT_TOKEN,
    appToken: APP_TOKEN,
    signingSecret: transport.signingSecret,
    transport: transport.name,
    appName: manifest.display_information.name,
    as: (reference) => actorOf(getPerson(workspace, reference)),
    messages: (reference) => workspace.messages(getChannel(workspace, reference).id),
    ephemerals: (person, reference) =>
      workspace.ephemerals(getPerson(workspace, person).id, getChannel(workspace, reference).id),
    openViews: (person) => workspace.openViews(getPerson(workspace, person).id),
    homeView: (person) => workspace.findHome(getPerson(workspace, person).id),
    calls: webApi.calls,
    deliveries: dispatcher.deliveries,
    get connections() {
      return sockets?.connections ?? 0;
    },
    waitFor: (find, timeoutMs = 150_000) => waitFor(observers, find, timeoutMs),
    changeChannel(reference, change) {
      workspace.changeChannel(getChannel(workspace, reference).id, (before) => ({ ...before, ...change }));
    },
    async checkRequestUrl() {
      const url = http?.urls.events ?? null;
      if (http === null || url === null) {
        throw new Error('the app has no request URL for events: it does not use signed HTTP');
      }
      return { urlVerification: await http.sender.verifyUrl(url), sslCheck: await http.sender.sslCheck(url) };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function getPerson(workspace: Workspace, reference: string): Person {
  const person = workspace.findPerson(reference);
  if (person === null) {
    throw new Error(`there is no person ${reference}`);
  }
  return person;
}

function getChannel(workspace: Workspace, reference: string): Channel {
  const channel = workspace.findChannel(reference) ?? workspace.findChannelByName(reference.replace(/^#/, ''));
  if (channel === null) {
    throw new Error(`there is no channel ${reference}`);
  }
  return channel;
}
