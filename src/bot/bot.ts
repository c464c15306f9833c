import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { ServiceClient } from '../client/service-client.ts';
import type { ReadinessCheck } from '../contract/health.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../runtime/clock.ts';
import { createLoop, NEVER_MS } from '../runtime/loop.ts';
import { BotStartError } from './domain/errors.ts';
import type { StormRules } from './domain/storm.ts';
import { createEventFeed } from './feed/event-feed.ts';
import { createFeed } from './feed/feed.ts';
import { createAudit } from './messages/audit.ts';
import { createBoard } from './messages/board.ts';
import { createLateAnswers } from './messages/late-answers.ts';
import { createFigures, type Healed } from './monitoring/counters.ts';
import { measureState } from './monitoring/gauges.ts';
import { readHealth } from './monitoring/health.ts';
import { readinessChecks } from './monitoring/readiness.ts';
import { createDelivery } from './service-writes/service-writes.ts';
import { createApp } from './slack/app.ts';
import { createBoltLogger } from './slack/bolt-logger.ts';
import { clientOptions, createAppClient, createSlackApi, type Fetch, type SlackAddress } from './slack/clients.ts';
import { connect } from './slack/connection.ts';
import { createHttpReceiver } from './slack/http-receiver.ts';
import { createIntake, type Intake } from './slack/inbound.ts';
import { createPeople, type Naming } from './slack/people.ts';
import type { BotReceiver } from './slack/receiver.ts';
import { createSocketReceiver } from './slack/socket-receiver.ts';
import { createRegistration } from './start/registration.ts';
import { createSetUp, type SetUp } from './start/set-up.ts';
import { refuseBadKey, refuseOtherService } from './start/start-checks.ts';
import { createStore } from './store/store.ts';

const SET_UP_RETRY_MS = 5_000;
const REFUSED_RETRY_MS = 60_000;
const DELIVERY_STEP_MS = 1_000;

export interface Bot extends AsyncDisposable {
  /** HTTP: handles requests below /slack/; null in Socket Mode. */
  readonly requestListener: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  /**
   * Begins to answer people and to keep the channel true. A Slack or a service that does not answer is tried again in
   * the background.
   *
   * @throws BotStartError when a token or the API key is refused
   */
  start(): Promise<void>;
  readiness(): Promise<ReadinessCheck[]>;
}

export interface BotOptions {
  readonly slack: SlackOptions;
  readonly service: ServiceClient;
  /** Its base address, or `EMBEDDED_SERVICE`. */
  readonly serviceId: string;
  /** By what the same service was known before; absent: it has not moved. */
  readonly serviceMovedFrom?: string | null;
  readonly database: Database;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Where the cards go: an id or `#name`; null: nowhere. */
  readonly channel: string | null;
  readonly pollMs: number;
  /** Absent: `email`. */
  readonly naming?: Naming;
  /** Where the figures of the bot can be scraped; absent: nowhere. */
  readonly registry?: Registry;
  /** Absent: `STORM_RULES`. */
  readonly storms?: StormRules;
}

interface SlackOptions {
  readonly apiUrl: string;
  readonly botToken: string;
  /** Given: Socket Mode. null: signed HTTP. */
  readonly appToken: string | null;
  readonly signingSecret: string | null;
  /** Absent: the machine's. */
  readonly fetch?: Fetch;
}

/** @throws BotStartError when the settings for Slack do not go together */
export async function createBot(options: BotOptions): Promise<Bot> {
  const { slack, service, serviceId, channel, pollMs, logger, clock, registry = new Registry() } = options;
  const { now } = clock;
  const boltLogger = createBoltLogger(logger);
  const figures = createFigures(registry);
  const address = { apiUrl: slack.apiUrl, logger: boltLogger, figures, fetch: slack.fetch };
  const intake = createIntake(logger, figures);
  const receiver = createReceiver(slack, address, intake, logger, clock);
  const store = await createStore(options.database);
  await refuseOtherService(store, serviceId, options.serviceMovedFrom ?? null);
  // A lane each: a limit on the background must not delay an answer to a person.
  const forPeople = createSlackApi(address, slack.botToken);
  const forBackground = createSlackApi(address, slack.botToken);
  const appClient = slack.appToken === null ? null : createAppClient(address, slack.appToken);

  const people = createPeople({
    api: forPeople,
    teamId: () => setUp.identity()?.teamId ?? null,
    naming: options.naming,
    logger,
    clock,
  });
  const board = createBoard({
    api: forBackground,
    store,
    figures,
    staleSince: () => store.freshness.staleSince(serviceId),
    logger,
    clock,
    ...(options.storms !== undefined && { storms: options.storms }),
  });
  const audit = createAudit({ api: forBackground, store, onHealed, logger, clock });
  const delivery = createDelivery({ service, store, people, onChange: () => board.kick(), logger, now });
  const deliveries = createLoop({
    name: 'deliveries',
    step: deliverWaiting,
    retry: { firstMs: SET_UP_RETRY_MS, longestMs: SET_UP_RETRY_MS },
    logger,
    clock,
  });
  const lateAnswers = createLateAnswers({ people, store: store.pendingActions, logger, clock });
  const feed = createFeed({
    service,
    serviceId,
    store,
    onChanged: () => board.kick(),
    onPolled,
    pollMs,
    logger,
    clock,
  });
  const eventFeed = createEventFeed({ service, store, onChanged: () => board.kick(), logger, clock });
  const health = () => readHealth({ figures, store, feed, eventFeed, now });
  const app = createApp({
    botToken: slack.botToken,
    receiver,
    clientOptions: clientOptions(address),
    boltLogger,
    listeners: { service, store, delivery, people, health, api: forPeople, logger, now },
  });
  const setUp = createSetUp({
    connect: () => connect({ app, api: forPeople, appClient, intake, receiver, enterWorkspace }),
    slackApiUrl: slack.apiUrl,
    api: forBackground,
    channel,
    store,
    logger,
  });
  const registration = createRegistration({
    service,
    serviceId,
    registrations: store.registrations,
    identity: () => setUp.identity(),
    logger,
    clock,
  });
  const finishing = createLoop({
    name: 'set-up',
    step: () => finishSetUp(setUp, { onSignedIn: startInSlack, onChannel: () => board.kick() }),
    retry: { firstMs: SET_UP_RETRY_MS, longestMs: SET_UP_RETRY_MS },
    logger,
    clock,
  });

  measureState(registry, {
    waitingCards: () => store.cards.countWaiting(),
    waitingActions: () => store.pendingActions.countWaiting(),
    answeredAt: () => feed.state().answeredAt,
    openSockets: receiver.openSockets,
    now,
  });
  const loops = [finishing, feed, eventFeed, deliveries];
  /** They must know which workspace it is. */
  const loopsInSlack = [board, audit, lateAnswers, registration];

  async function enterWorkspace(teamId: string): Promise<void> {
    if (await store.subscriptions.enterWorkspace(teamId)) {
      logger.warn({ teamId }, 'this is another workspace than before; the cards of that one are left alone');
    }
  }

  function startInSlack(): void {
    for (const loop of loopsInSlack) {
      loop.start();
    }
  }

  async function deliverWaiting(stopping: AbortSignal): Promise<number> {
    while (!stopping.aborted && (await delivery.deliverDue()) !== null) {
      lateAnswers.kick();
    }
    return DELIVERY_STEP_MS;
  }

  function onHealed(cards: Healed): void {
    figures.healed(cards);
    board.kick();
  }

  async function onPolled({ isBack }: { isBack: boolean }): Promise<void> {
    board.kick();
    audit.kick();
    if (isBack) {
      await store.pendingActions.makeDue(now());
      deliveries.kick();
    }
  }

  return {
    requestListener: receiver.requestListener,
    async start() {
      await Promise.all([signInWithChannel(setUp), refuseBadKey(service)]);
      for (const loop of loops) {
        loop.start();
      }
    },
    readiness: () =>
      readinessChecks({ setUp, registration, receiver, board, feed, store, hasChannel: channel !== null }),
    async [Symbol.asyncDispose]() {
      await Promise.all([receiver.stop(), ...[...loops, ...loopsInSlack].map((loop) => loop[Symbol.asyncDispose]())]);
    },
  };
}

function createReceiver(
  slack: SlackOptions,
  address: SlackAddress,
  intake: Intake,
  logger: Logger,
  clock: Clock,
): BotReceiver {
  const { appToken, signingSecret } = slack;
  const { logger: boltLogger } = address;
  if (appToken !== null) {
    return createSocketReceiver({
      appToken,
      clientOptions: () => clientOptions(address),
      intake,
      boltLogger,
      logger,
      clock,
    });
  }
  if (signingSecret === null) {
    throw new BotStartError('Neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET is set: set the one of your transport.');
  }
  return createHttpReceiver({ signingSecret, intake, logger: boltLogger, now: clock.now });
}

async function signInWithChannel(setUp: SetUp): Promise<void> {
  if (await setUp.signIn()) {
    await setUp.findChannel();
  }
}

/** What the start could not do yet: each step until it has worked. */
async function finishSetUp(
  setUp: SetUp,
  { onSignedIn, onChannel }: { onSignedIn: () => void; onChannel: () => void },
): Promise<number> {
  try {
    if (!(await setUp.signIn())) {
      return SET_UP_RETRY_MS;
    }
    onSignedIn();
    const isFound = await setUp.findChannel();
    onChannel();
    return isFound ? NEVER_MS : SET_UP_RETRY_MS;
  } catch (error) {
    if (error instanceof BotStartError) {
      return REFUSED_RETRY_MS; // said already; whoever runs the bot must act first
    }
    throw error;
  }
}
