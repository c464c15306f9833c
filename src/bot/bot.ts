import type { IncomingMessage, ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import type { ReadinessCheck } from '../contract/health.ts';
import { createPerformer } from '../effects/performer.ts';
import { createTopic } from '../runtime/topic.ts';
import { createActions } from './actions/actions.ts';
import { createNameWaiting } from './actions/definition.ts';
import { createApp } from './app.ts';
import type { BotOptions } from './bot-options.ts';
import { ACTION_DEFINITIONS, createActionKinds, createMessageKinds, WORDS } from './features.ts';
import { createEventFeed } from './feed/event-feed.ts';
import { createFeed } from './feed/feed.ts';
import { createAudit, type Repairs } from './messages/audit.ts';
import { createLateEditKind, LATE_EDIT } from './messages/late-edits.ts';
import { createReconciler } from './messages/reconciler.ts';
import { createCounters } from './monitoring/counters.ts';
import { registerGauges } from './monitoring/gauges.ts';
import { readHealth } from './monitoring/health.ts';
import { createFindProblems } from './monitoring/problems.ts';
import { readinessChecks } from './monitoring/readiness.ts';
import { CARD_LINK, createCardLinkKind } from './rooms/card/link-kind.ts';
import { createOnCall } from './rooms/on-call/on-call.ts';
import { personEffect } from './rooms/on-call/person-kind.ts';
import { createReadOnCall } from './rooms/on-call/read-on-call.ts';
import { createTellWho } from './rooms/on-call/tell-who.ts';
import { createCatchUpKind } from './rooms/read/catch-up-kind.ts';
import { createReadKind } from './rooms/read/read-kind.ts';
import { CATCH_UP, READ } from './rooms/read/readings.ts';
import { createRooms } from './rooms/room/rooms.ts';
import { createDashboardLinks } from './rooms/sign-in/dashboard-links.ts';
import { createReadSignals } from './rooms/signals/read-signals.ts';
import { createFindAssigned } from './rooms/steer/assigned.ts';
import { STORM_RULES } from './rooms/storm/storm.ts';
import { createWakes } from './rooms/wake/wakes.ts';
import { clientOptions } from './slack/clients.ts';
import type { SlackIdentity } from './slack/connection.ts';
import { connect } from './slack/connection.ts';
import { createGroups } from './slack/groups.ts';
import type { PlaceId } from './slack/identifiers.ts';
import { createPeople } from './slack/people.ts';
import { createResponders } from './slack/responders.ts';
import { createSlackClock } from './slack/slack-clock.ts';
import { createSlackSide } from './slack/slack-side.ts';
import { createDatabaseClock } from './start/database-clock.ts';
import { createRegistration, createRegistrationKind, REGISTRATION } from './start/registration.ts';
import { createSetUp } from './start/set-up.ts';
import { refuseBadKey, refuseOtherService } from './start/start-checks.ts';
import { createUpkeep } from './start/upkeep.ts';
import { createStore } from './store.ts';

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
  /** Why incidents do not reach Slack; null: nothing is known to keep them. */
  deliveryProblem(): Promise<string | null>;
}

/** @throws BotStartError when neither an app token nor a signing secret is given */
export async function createBot(options: BotOptions): Promise<Bot> {
  const { slack, service, serviceId, database, channel, pollMs, logger, clock, registry = new Registry() } = options;
  const { naming, publicUrl = null, traceUrl = null, storms = STORM_RULES } = options;
  const { now } = clock;
  const store = await createStore(database);
  await refuseOtherService(store, serviceId, options.serviceMovedFrom ?? null);
  const counters = createCounters(registry);
  const slackClock = createSlackClock(now);
  const shared = createDatabaseClock(store.installation, clock);
  /** A message may be due. */
  const changed = createTopic<PlaceId | null>();
  /** The service responded. */
  const polled = createTopic();
  const onChanged = (placeId: PlaceId | null = null) => changed.tell(placeId);

  const { forPeople, forBackground, receiver, respondTo, ...slackSide } = createSlackSide({
    slack,
    slackClock,
    onAnswered: (method, outcome) => counters.slackAnswered(method, outcome),
    onAcknowledged: (durationMs) => counters.acknowledged(durationMs),
    logger,
    clock,
  });
  const setUp = createSetUp({ slackApiUrl: slack.apiUrl, api: forBackground, channel, store, logger });
  const teamId = () => setUp.identity()?.teamId ?? null;

  const membersOf = (groups: readonly string[]) => createResponders({ api: forPeople, groups, logger, clock });
  const { responderGroups = [], adminGroups = [], rulesGroup = null } = options;
  const ruleMakers = membersOf(rulesGroup === null ? [] : [rulesGroup]);
  const groups = createGroups({ api: forPeople, logger, clock });
  const people = createPeople({
    api: forPeople,
    responders: membersOf(responderGroups),
    store: store.people,
    teamId,
    onFound: (slackUserId, person) => store.effects.keep([personEffect(slackUserId, person)]),
    naming,
    logger,
    clock,
  });
  const admins = adminGroups.length === 0 ? null : membersOf(adminGroups);
  const createDashboardLink = createDashboardLinks({ service, people, admins });
  const readSignals = createReadSignals(service);
  const readOnCall = createReadOnCall({ service, incidents: store.incidents, now: shared.now });

  const performer = createPerformer({ effects: store.effects, logger, clock: shared });
  performer.add({
    [CARD_LINK]: createCardLinkKind({ api: forBackground, service, store }),
    [REGISTRATION]: createRegistrationKind(service),
  });
  const { readings } = store;
  const onKept = () => performer.kick();
  const read = createReadKind({ service, api: forBackground, readings });
  performer.add({ [READ]: read, [LATE_EDIT]: createLateEditKind() }, onChanged);
  performer.add({ [CATCH_UP]: createCatchUpKind({ api: forBackground, readings, onKept, now: shared.now }) });
  const botUserId = () => setUp.identity()?.botUserId ?? null;
  const rooms = createRooms({ api: forBackground, store, performer, botUserId, onChanged, clock: shared });
  const tellWho = createTellWho({ api: forBackground, service });
  const onCall = createOnCall({
    service,
    api: forBackground,
    store,
    people,
    tellWho,
    performer,
    onChanged,
    now: shared.now,
  });
  const wakes = createWakes({ service, store, performer, onChanged, logger });

  const nameWaiting = createNameWaiting(ACTION_DEFINITIONS);
  const messageKinds = createMessageKinds({
    api: forBackground,
    store,
    people,
    groups,
    createDashboardLink,
    readSignals,
    onCall: (reader) => readOnCall.home(reader),
    nameWaiting,
    traceUrl,
    logger,
    now: shared.now,
  });
  const messages = createReconciler({
    api: forBackground,
    respondTo,
    store,
    kinds: messageKinds,
    logger,
    clock: shared,
    onShown: (dueForMs) => counters.cardShown(dueForMs),
    onPlaceGone: (placeId) => rooms.lose(placeId),
    slackNow: () => slackClock.now(),
    findDuePlaces: () => store.duePlaces(storms),
    advanceStorms: (channelId) => store.storms.advance(channelId, storms),
  });
  changed.hear((placeId) => void (placeId === null ? messages.kick() : messages.hurry(placeId)));
  const findAssigned = createFindAssigned({ people, groups, store, logger });
  const actions = createActions({
    service,
    store,
    definitions: ACTION_DEFINITIONS,
    createKinds: (incidents) =>
      createActionKinds({ service, store, incidents, findAssigned, onChanged, now: shared.now }),
    people,
    onChanged,
    logger,
    clock: shared,
  });
  const audit = createAudit({ api: forBackground, store, kinds: messageKinds, onRepaired, logger });

  const syncClock = () => shared.sync();
  const feed = createFeed({ service, serviceId, store, onChanged, onPolled, syncClock, pollMs, logger, clock: shared });
  const eventFeed = createEventFeed({ service, store, people, wakes, onChanged, logger, clock: shared });
  const registration = createRegistration({ store, serviceId, identity: () => setUp.identity() });
  const findProblems = createFindProblems({ setUp, registration, receiver, feed, store, onCall, slackClock });
  const health = () =>
    readHealth({
      counters,
      findProblems,
      listIntegrations: () => service.listIntegrations(),
      findPagingProblem: () => service.findPagingProblem(),
      store,
      feed,
      eventFeed,
      now: shared.now,
    });

  const app = createApp({
    botToken: slack.botToken,
    receiver,
    clientOptions: clientOptions(slackSide.connection),
    boltLogger: slackSide.boltLogger,
    listeners: {
      service,
      store,
      actions,
      rooms,
      wakes,
      swaps: onCall,
      readOnCall,
      nameWaiting,
      tellWho: createTellWho({ api: forPeople, service }),
      people,
      groups,
      ruleMakers,
      createDashboardLink,
      health,
      words: WORDS,
      api: forPeople,
      respondTo,
      shareFile: slackSide.shareFile,
      readSignals,
      publicUrl,
      teamId,
      identity: () => setUp.identity(),
      onKept,
      onChanged,
      traceUrl,
      logger,
      now: shared.now,
    },
  });
  const upkeep = createUpkeep({
    setUp,
    connect: () => connect({ ...slackSide, app, api: forPeople, receiver, enterWorkspace }),
    audit,
    store,
    retentionDays: options.retentionDays ?? null,
    onSignedIn,
    logger,
    clock,
  });
  polled.hear(() => upkeep.kick());
  const hasChannel = channel !== null;
  const loops = [upkeep, feed, eventFeed, actions, performer];

  registerGauges(registry, {
    waitingMessages: () => store.cards.countWaiting(),
    waitingSince: () => store.cards.oldestWaitingSince(),
    waitingActions: () => store.actions.countWaiting(),
    problems: findProblems,
    answeredAt: () => feed.state().answeredAt,
    openSockets: receiver.openSockets,
    now: shared.now,
  });

  async function enterWorkspace(teamId: string): Promise<void> {
    if (await store.installation.enterWorkspace(teamId)) {
      logger.warn({ teamId }, 'signed in to a different workspace; cards in the previous one are abandoned');
    }
  }

  async function onSignedIn(identity: SlackIdentity): Promise<void> {
    messages.start();
    messages.kick();
    await registration.keep(identity);
    await onCall.begin();
    await readings.catchUp();
    performer.kick();
  }

  function onRepaired(repairs: Repairs): void {
    counters.repaired(repairs);
    onChanged();
  }

  async function onPolled({ isBack }: { isBack: boolean }): Promise<void> {
    onChanged();
    polled.tell();
    if (isBack) {
      await store.actions.makeDue();
      actions.kick();
    }
  }

  return {
    requestListener: receiver.requestListener,
    async start() {
      await shared.sync();
      await Promise.all([upkeep.signIn(), refuseBadKey(service)]);
      for (const loop of loops) {
        loop.start();
      }
    },
    async deliveryProblem() {
      const { slack, channel, 'incident service': ofService } = await findProblems();
      return [...slack, ...channel, ...ofService][0] ?? null;
    },
    readiness: () =>
      readinessChecks({ checkDatabase: () => database.check(), receiver, findProblems, store, hasChannel }),
    async [Symbol.asyncDispose]() {
      await Promise.all([receiver.stop(), ...[...loops, messages].map((loop) => loop[Symbol.asyncDispose]())]);
    },
  };
}
