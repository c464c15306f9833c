import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { ReadinessCheck } from '../contract/health.ts';
import type { Clock } from '../runtime/clock.ts';
import { createRemoteClock } from '../runtime/remote-clock.ts';
import { createActionKinds } from './action-kinds.ts';
import { createActions } from './actions/actions.ts';
import { createApp } from './app.ts';
import type { BotOptions, SlackOptions } from './bot-options.ts';
import { BotStartError } from './domain/errors.ts';
import { createEventFeed } from './feed/event-feed.ts';
import { createFeed } from './feed/feed.ts';
import { createMessageKinds } from './message-kinds.ts';
import { createAudit, type Repairs } from './messages/audit.ts';
import { createReconciler } from './messages/reconciler.ts';
import { createCounters } from './monitoring/counters.ts';
import { registerGauges } from './monitoring/gauges.ts';
import { readHealth } from './monitoring/health.ts';
import { readMessageProblems } from './monitoring/problems.ts';
import { readinessChecks } from './monitoring/readiness.ts';
import { createDashboardLinks } from './sign-in/dashboard-links.ts';
import { createReadSignals } from './signals/read-signals.ts';
import { createBoltLogger } from './slack/bolt-logger.ts';
import {
  clientOptions,
  createAppClient,
  createSlackApi,
  createSlackFetch,
  type SlackConnection,
} from './slack/clients.ts';
import { connect } from './slack/connection.ts';
import { createGroups } from './slack/groups.ts';
import { createHttpReceiver } from './slack/http-receiver.ts';
import { createPeople } from './slack/people.ts';
import type { BotReceiver } from './slack/receiver.ts';
import { createRequests, type Requests } from './slack/requests.ts';
import { createRespondTo } from './slack/respond.ts';
import { createResponders } from './slack/responders.ts';
import { createSlackClock } from './slack/slack-clock.ts';
import { createSocketReceiver } from './slack/socket-receiver.ts';
import { createShareFile } from './slack/upload.ts';
import { createCardLinks } from './start/card-links.ts';
import { createRegistration } from './start/registration.ts';
import { createSetUp } from './start/set-up.ts';
import { refuseBadKey, refuseOtherService } from './start/start-checks.ts';
import { createUpkeep } from './start/upkeep.ts';
import { createStore } from './store/store.ts';

export interface Bot extends AsyncDisposable {
  /** HTTP: handles requests below /slack/; null in Socket Mode. */
  readonly requestListener: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  /**
   * Starts to handle requests and to post. If Slack or the service does not respond, it is retried in the background.
   *
   * @throws BotStartError when a token or the API key is refused
   */
  start(): Promise<void>;
  readiness(): Promise<ReadinessCheck[]>;
  /** Why messages do not reach Slack; null: nothing is known to keep them. */
  deliveryProblem(): Promise<string | null>;
}

/** @throws BotStartError when neither an app token nor a signing secret is given */
export async function createBot(options: BotOptions): Promise<Bot> {
  const { slack, service, serviceId, channel, pollMs, logger, clock, registry = new Registry() } = options;
  const { now } = clock;
  const boltLogger = createBoltLogger(logger);
  const counters = createCounters(registry);
  const slackClock = createSlackClock(now);
  const connection: SlackConnection = {
    apiUrl: slack.apiUrl,
    logger: boltLogger,
    fetch: slack.fetch,
    now,
    clock: slackClock,
    onAnswered: (method, outcome) => counters.slackAnswered(method, outcome),
  };
  const requests = createRequests(logger, (durationMs) => counters.acknowledged(durationMs));
  const receiver = createReceiver(slack, connection, requests, logger, clock);
  const store = await createStore(options.database);
  await refuseOtherService(store, serviceId, options.serviceMovedFrom ?? null);
  // Two clients, so that rate limits on background calls do not delay responses to people.
  const forPeople = createSlackApi(connection, slack.botToken);
  const forBackground = createSlackApi(connection, slack.botToken);
  const appClient = slack.appToken === null ? null : createAppClient(connection, slack.appToken);
  // Observations of all processes are compared, so they need the same clock.
  const databaseClock = createRemoteClock(now);
  const shared: Clock = { now: () => databaseClock.now(), after: (ms, work) => clock.after(ms, work) };
  const onChanged = () => messages.kick();

  const responders = createResponders({ api: forPeople, groups: options.responderGroups ?? [], logger, clock });
  const { rulesGroup = null, adminGroups = [] } = options;
  const admins =
    adminGroups.length === 0 ? null : createResponders({ api: forPeople, groups: adminGroups, logger, clock });
  const ruleMakers = createResponders({
    api: forPeople,
    groups: rulesGroup === null ? [] : [rulesGroup],
    logger,
    clock,
  });
  const groups = createGroups({ api: forPeople, logger, clock });
  const people = createPeople({
    api: forPeople,
    responders,
    store: store.people,
    teamId: () => setUp.identity()?.teamId ?? null,
    naming: options.naming,
    logger,
    clock,
  });
  const respondTo = createRespondTo(createSlackFetch(connection));
  const readSignals = createReadSignals(service);
  const createDashboardLink = createDashboardLinks({ service, people, admins });
  const messages = createReconciler({
    api: forBackground,
    respondTo,
    store,
    kinds: createMessageKinds({
      api: forBackground,
      store,
      people,
      groups,
      createDashboardLink,
      readSignals,
      traceUrl: options.traceUrl ?? null,
      logger,
      now: shared.now,
    }),
    logger,
    clock: shared,
    onShown: (dueForMs) => counters.cardShown(dueForMs),
    slackNow: () => slackClock.now(),
    storms: options.storms,
  });
  const actions = createActions({
    service,
    store,
    createKinds: (incidents) => createActionKinds({ service, store, incidents, onChanged, now: shared.now }),
    people,
    onChanged,
    logger,
    clock: shared,
  });
  const feed = createFeed({
    service,
    serviceId,
    store,
    onChanged,
    onPolled,
    syncClock,
    pollMs,
    logger,
    clock: shared,
  });
  const eventFeed = createEventFeed({ service, store, people, onChanged, logger, clock: shared });
  const app = createApp({
    botToken: slack.botToken,
    receiver,
    clientOptions: clientOptions(connection),
    boltLogger,
    listeners: {
      service,
      store,
      actions,
      people,
      groups,
      ruleMakers,
      createDashboardLink,
      health: () => readHealth({ counters, store, feed, eventFeed, now: shared.now }),
      api: forPeople,
      respondTo,
      shareFile: createShareFile(forPeople, createSlackFetch(connection)),
      readSignals,
      publicUrl: options.publicUrl ?? null,
      teamId: () => setUp.identity()?.teamId ?? null,
      onChanged,
      traceUrl: options.traceUrl ?? null,
      logger,
      now: shared.now,
    },
  });
  const setUp = createSetUp({
    connect: () => connect({ app, api: forPeople, appClient, requests, receiver, enterWorkspace }),
    slackApiUrl: slack.apiUrl,
    api: forBackground,
    channel,
    store,
    logger,
  });
  const registration = createRegistration({ service, serviceId, installation: store.installation, logger });
  const audit = createAudit({ api: forBackground, store, onRepaired, logger });
  const { cardLinks: unlinked, installation } = store;
  const cardLinks = createCardLinks({ api: forBackground, service, store: unlinked, installation, logger });
  const forgetOld = async () => {
    await store.homes.forgetOld();
    await store.openViews.forgetOld();
  };
  const prune = () => store.retention.prune(options.retentionDays ?? null);
  const upkeep = createUpkeep({ setUp, registration, audit, cardLinks, forgetOld, prune, onSignedIn, logger, clock });
  const loops = [upkeep, feed, eventFeed, actions];

  registerGauges(registry, {
    waitingMessages: () => store.cards.countWaiting(),
    waitingActions: () => store.actions.countWaiting(),
    answeredAt: () => feed.state().answeredAt,
    openSockets: receiver.openSockets,
    now: shared.now,
  });

  async function syncClock(): Promise<void> {
    const sentAt = now();
    databaseClock.observe(await store.installation.now(), sentAt, now());
  }

  async function enterWorkspace(teamId: string): Promise<void> {
    if (await store.installation.enterWorkspace(teamId)) {
      logger.warn({ teamId }, 'signed in to a different workspace; cards in the previous one are abandoned');
    }
  }

  function onSignedIn(): void {
    messages.start();
    messages.kick();
  }

  function onRepaired(repairs: Repairs): void {
    counters.repaired(repairs);
    messages.kick();
  }

  async function onPolled({ isBack }: { isBack: boolean }): Promise<void> {
    messages.kick();
    upkeep.kick();
    if (isBack) {
      await store.actions.makeDue();
      actions.kick();
    }
  }

  return {
    requestListener: receiver.requestListener,
    async start() {
      await syncClock();
      await Promise.all([signIn(), refuseBadKey(service)]);
      for (const loop of loops) {
        loop.start();
      }
    },
    deliveryProblem: async () => (await readMessageProblems(store)).outages[0] ?? null,
    readiness: () =>
      readinessChecks({ setUp, registration, receiver, feed, store, slackClock, hasChannel: channel !== null }),
    async [Symbol.asyncDispose]() {
      await Promise.all([receiver.stop(), ...[...loops, messages].map((loop) => loop[Symbol.asyncDispose]())]);
    },
  };

  async function signIn(): Promise<void> {
    if (await setUp.signIn()) {
      await setUp.findChannel();
    }
  }
}

function createReceiver(
  { appToken, signingSecret }: SlackOptions,
  connection: SlackConnection,
  requests: Requests,
  logger: Logger,
  clock: Clock,
): BotReceiver {
  const { logger: boltLogger } = connection;
  if (appToken !== null) {
    return createSocketReceiver({
      appToken,
      clientOptions: () => clientOptions(connection),
      requests,
      boltLogger,
      logger,
      clock,
    });
  }
  if (signingSecret === null) {
    throw new BotStartError(
      'Neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET is set: set SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET for signed HTTP.',
    );
  }
  return createHttpReceiver({ signingSecret, requests, logger: boltLogger, now: clock.now });
}
