import { type Logger, pino } from 'pino';
import type { Delivers } from './delivery/delivery.ts';
import { createResponseUrls } from './delivery/response-url.ts';
import { createSignedHttp } from './delivery/signed-http.ts';
import { createSocketMode } from './delivery/socket-mode.ts';
import { createFaults, type Faults } from './faults.ts';
import { createFileBytes } from './file-bytes.ts';
import { LIMITS } from './limits.ts';
import { readManifest } from './manifest.ts';
import { createWebApi, type RecordedCall } from './methods/web-api.ts';
import type { Channel, EntityDetails, Ephemeral, Message, Person, View } from './model.ts';
import { createPage } from './page/page.ts';
import { type Actor, createActor } from './people.ts';
import { createPostLimiter } from './rate-limit.ts';
import { createScheduler } from './scheduled-messages.ts';
import { APP_TOKEN, BOT_TOKEN, SIGNING_SECRET } from './seed.ts';
import { listenOnLoopback } from './server.ts';
import { keepSnapshot, readSnapshot } from './snapshot.ts';
import { createTriggers } from './triggers.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

export { LocalSlackStartError } from './errors.ts';

export interface LocalSlackOptions {
  readonly manifestPath: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly delivery: { mode: 'socket' } | { mode: 'http'; requestUrl: string; signingSecret: string };
  /** Keeps the workspace in this file over restarts. */
  readonly statePath?: string;
  readonly logger?: Logger;
  readonly now?: () => Date;
  /** How long the app has to acknowledge; a test that waits for a failure shortens it. */
  readonly ackMs?: number;
}

export interface LocalSlack extends AsyncDisposable {
  /** The page. */
  readonly url: string;
  /** Ends in `/api/`: what a bot takes as SLACK_API_URL. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;

  /** What a person can do; by handle or id. */
  as(person: string): Actor;
  /** A channel's messages, oldest first, threads included; by name or id. */
  messages(channel: string): readonly Message[];
  ephemerals(person: string, channel: string): readonly Ephemeral[];
  /** The stack of modals, the visible one last. */
  openViews(person: string): readonly View[];
  homeView(person: string): View | null;
  /** The Work Object that a person has open, as the app last presented it. */
  entityDetails(person: string): EntityDetails | null;
  /** Every Web API call, newest last, without its token. */
  readonly calls: readonly RecordedCall[];
  /** Socket Mode connections that are open now. */
  readonly connections: number;
  /** The first value of `find` that is not null, undefined or false. @throws Error when `timeoutMs` pass without one */
  waitFor<T>(find: () => T | null | undefined | false, timeoutMs?: number): Promise<T>;

  readonly faults: Pick<Faults, 'next' | 'storm' | 'dropAcks' | 'clear'>;
  /** Cuts every Socket Mode connection. */
  disconnectSockets(): void;
  /** Away: no request is answered, no connection stands or is made. */
  setAway(isAway: boolean): void;
  changeChannel(channel: string, change: { isArchived?: boolean; members?: readonly string[] }): void;
  /** Signed HTTP only: what Slack asks of a request URL. */
  checkRequestUrl(): Promise<{ readonly urlVerification: boolean; readonly sslCheck: boolean }>;
}

/** @throws LocalSlackStartError when the manifest or the state cannot be used, or the port is taken */
export async function startLocalSlack(options: LocalSlackOptions): Promise<LocalSlack> {
  await using scope = new AsyncDisposableStack();
  const logger = options.logger ?? pino({ level: 'silent' });
  const now = options.now ?? (() => new Date());
  const ackMs = options.ackMs ?? LIMITS.ackMs;
  const manifest = await readManifest(options.manifestPath);
  const workspace = createWorkspace({
    botName: manifest.features.bot_user?.display_name ?? manifest.display_information.name,
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

  let isAway = false;
  let baseUrl = '';
  const triggers = createTriggers(now);
  const responses = createResponseUrls(workspace, now);
  const faults = createFaults(now);
  const sockets = options.delivery.mode === 'socket' ? createSocketMode({ ackMs, now, onChange: notify }) : null;
  const signedHttp = options.delivery.mode === 'http' ? createSignedHttp({ ...options.delivery, ackMs, now }) : null;
  const channel = sockets ?? signedHttp;
  if (channel === null) {
    throw new Error('a delivery mode is either socket or http');
  }
  scope.use(channel);
  const delivery: Delivers = {
    async deliver(envelope) {
      const taken = isAway ? ({ kind: 'unreachable' } as const) : await channel.deliver(envelope);
      const ack = taken.kind === 'acked' && faults.takeDroppedAck() ? ({ kind: 'timeout' } as const) : taken;
      logger.debug({ type: envelope.type, ack: ack.kind }, 'delivered');
      return ack;
    },
  };

  const fileBytes = createFileBytes({
    workspace,
    mayReadFiles: manifest.oauth_config.scopes.bot.includes('files:read'),
    now,
  });
  const scheduler = createScheduler({
    workspace,
    postsInPublic: manifest.oauth_config.scopes.bot.includes('chat:write.public'),
    now,
  });
  scope.use(scheduler);
  const webApi = createWebApi({
    workspace,
    manifest,
    triggers,
    faults,
    now,
    limiter: createPostLimiter(now),
    fileBytes,
    scheduler,
    workspaceUrl: () => `${baseUrl}/`,
    openSocket: () => sockets && `${baseUrl.replace('http:', 'ws:')}${sockets.issueTicket()}`,
    onCall: notify,
  });
  const actorOf = (person: Person): Actor =>
    createActor({ workspace, manifest, triggers, responses, delivery, now, baseUrl: () => baseUrl }, person);
  const page = createPage({
    workspace,
    manifest,
    actorOf,
    logger,
    isAppConnected: () => !isAway && (sockets === null || sockets.connections > 0),
  });
  observers.add(() => page.announce());

  const answer = (request: Request): Response | Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/api/')) {
      return webApi.answer(request, pathname.slice('/api/'.length));
    }
    if (pathname.startsWith('/upload/')) {
      return fileBytes.receive(request);
    }
    if (pathname.startsWith('/files/')) {
      return fileBytes.serve(request);
    }
    return pathname.startsWith('/response/') ? responses.answer(request, pathname) : page.fetch(request);
  };
  const server = await listenOnLoopback({ port: options.port, sockets, isAway: () => isAway, fetch: answer, logger });
  scope.use(server);
  scope.use(page); // first to go: its streams would keep the server open
  baseUrl = server.url;
  const owned = scope.move();

  return {
    url: `${baseUrl}/`,
    apiUrl: `${baseUrl}/api/`,
    botToken: BOT_TOKEN,
    appToken: APP_TOKEN,
    signingSecret: options.delivery.mode === 'http' ? options.delivery.signingSecret : SIGNING_SECRET,
    as: (reference) => actorOf(getPerson(workspace, reference)),
    messages: (reference) => workspace.messages(getChannel(workspace, reference).id),
    ephemerals: (person, reference) =>
      workspace.ephemerals(getPerson(workspace, person).id, getChannel(workspace, reference).id),
    openViews: (person) => workspace.openViews(getPerson(workspace, person).id),
    entityDetails: (person) => workspace.entityDetails.find(getPerson(workspace, person).id),
    homeView: (person) => workspace.findHome(getPerson(workspace, person).id),
    calls: webApi.calls,
    get connections() {
      return sockets?.connections ?? 0;
    },
    waitFor: (find, timeoutMs = 5_000) => waitFor(observers, find, timeoutMs),
    faults,
    disconnectSockets: () => sockets?.cut(),
    setAway(away) {
      isAway = away;
      if (away) {
        sockets?.cut();
      }
    },
    changeChannel(reference, change) {
      workspace.changeChannel(getChannel(workspace, reference).id, (before) => ({ ...before, ...change }));
    },
    async checkRequestUrl() {
      if (signedHttp === null) {
        throw new Error('only an app on signed HTTP has a request URL');
      }
      return { urlVerification: await signedHttp.verifyUrl(), sslCheck: await signedHttp.sslCheck() };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function getPerson(workspace: Workspace, reference: string): Person {
  const person = workspace.findPerson(reference);
  if (person === null) {
    throw new Error(`there is no person ${reference} here`);
  }
  return person;
}

function getChannel(workspace: Workspace, reference: string): Channel {
  const channel = workspace.findChannel(reference) ?? workspace.findChannelByName(reference.replace(/^#/, ''));
  if (channel === null) {
    throw new Error(`there is no channel ${reference} here`);
  }
  return channel;
}

function waitFor<T>(
  observers: Set<() => void>,
  find: () => T | null | undefined | false,
  timeoutMs: number,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(deadline);
      observers.delete(look);
      finish();
    };
    const deadline = setTimeout(() => {
      settle(() =>
        reject(new Error(`nothing in local Slack met the condition within ${timeoutMs} ms: ${find.toString()}`)),
      );
    }, timeoutMs);
    const look = (): void => {
      try {
        const found = find();
        if (found !== null && found !== undefined && found !== false) {
          settle(() => resolve(found));
        }
      } catch (error) {
        settle(() => reject(error));
      }
    };
    observers.add(look);
    look();
  });
}
