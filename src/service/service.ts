import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { ReadinessCheck } from '../contract/health.ts';
import type { Scope } from '../contract/route.ts';
import type { Database } from '../database/database.ts';
import { createKeptEffects } from '../effects/kept-effects.ts';
import { createPerformer } from '../effects/performer.ts';
import type { Clock } from '../runtime/clock.ts';
import { KEY_ACTORS } from './core/key-event.ts';
import type { SignalBatch } from './core/signal.ts';
import { measureCorrelation } from './correlation-metrics.ts';
import { createCorrelationPulse } from './correlation-pulse.ts';
import { createDashboard } from './dashboard/dashboard.tsx';
import type { OpenIdSettings } from './dashboard/sign-in/openid.ts';
import { createEventStreams } from './events/event-streams.ts';
import { createApi } from './http/api.ts';
import { createReadShares } from './http/read-shares.ts';
import type { RouteDeps } from './http/route-handlers.ts';
import { PAGE_HEADERS, SECURITY_HEADERS, secure } from './http/security-headers.ts';
import { createSnsVerifier } from './http/sns-signatures.ts';
import { createStateAnswers } from './http/state-answers.ts';
import { createBodyStarts } from './ingest/body-starts.ts';
import { createOtlpHandler } from './ingest/formats/otlp/otlp-http.ts';
import { createIncomingBodies } from './ingest/incoming-bodies.ts';
import { createMappingRunner, type MappingRunner } from './ingest/mapping/mapping-runner.ts';
import { createDeclarations } from './intake/declarations.ts';
import { createIntake } from './intake/intake.ts';
import { createUnkeptReports, outOfTime } from './intake/report-unkept.ts';
import { DEFAULT_TIME_WINDOW, type TimeWindow } from './intake/time-window.ts';
import { openLog } from './log/open-log.ts';
import { createServiceMetrics, measureState } from './metrics.ts';
import { whyNoPager } from './on-call/no-pager.ts';
import { startWaking } from './on-call/waking.ts';
import { createProvider } from './on-call/ways/provider.ts';
import type { WaySettings } from './on-call/ways/ways.ts';
import { createCorrelator } from './pipeline/correlator.ts';
import { createPrintedLink, type PrintedLink } from './printed-link.ts';
import { createIncidentRetention } from './store/incidents/incident-retention.ts';
import { inOneTransaction } from './store/one-transaction.ts';
import { createAuditRetention } from './store/people/audit-retention.ts';
import { createPeopleStore } from './store/people/people-store.ts';
import { findWorkingReaders } from './store/people/stream-readers.ts';
import { createReadiness } from './store/readiness.ts';
import { createScheduleStore } from './store/schedules/schedule-store.ts';
import { serviceMigrations } from './store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from './store/schema/tables.ts';
import { describeUnavailable } from './store/shared/unavailable.ts';
import { createPartitions } from './store/signals/partitions.ts';
import { createSignalRetention } from './store/signals/signal-retention.ts';
import { createStores, type Stores } from './store/stores.ts';
import { createAutoClose } from './upkeep/auto-close.ts';
import { createMuteEnd } from './upkeep/end-mutes.ts';
import { createPostedAlertEnd } from './upkeep/end-posted-alerts.ts';
import { createRetention } from './upkeep/retention.ts';
import { createSilenceWatch, withEndedMonitors } from './upkeep/watch-silence.ts';
import { isReachable } from './webhooks/address-guard.ts';
import { createGuardedGet, type GuardedGet } from './webhooks/guarded-get.ts';
import { createWebhookTest } from './webhooks/send-test-event.ts';
import { createWebhookSender } from './webhooks/webhook-sender.ts';
import { startWebhooks } from './webhooks/webhooks.ts';

const NO_PROVIDERS: WaySettings = {
  mail: null,
  ntfy: { url: 'https://ntfy.sh', token: null },
  pushover: null,
  twilio: null,
};

/** A provider that hangs must not keep the next way waiting. */
const PAGE_TIMEOUT_MS = 5_000;

/** The incident-and-signal service. Any number of them may share a database. */
export interface Service extends AsyncDisposable {
  /** Handles requests below `/v1` and `/dashboard`, and `/v2/enqueue`. */
  readonly fetch: (request: Request, from?: { readonly address?: string }) => Promise<Response>;
  /** @returns the raw key; it is not stored */
  createKey(name: string, scope: Scope): Promise<string>;
  /**
   * Creates the first key of an empty store, read-write.
   *
   * @param given the key to use; null: a new one is generated
   * @returns the raw key, which is not stored; null: keys exist already
   */
  createFirstKey(given: string | null): Promise<string | null>;
  isValidKey(rawKey: string): Promise<boolean>;
  /** Creates a link that signs in to the dashboard once, as an admin. */
  createAdminLink(): Promise<PrintedLink>;
  readiness(): Promise<ReadinessCheck[]>;
  /** Why signals open no incidents, or nobody is woken in time; null: all is well. */
  problem(): Promise<string | null>;
  /** Ends endless responses, so that the requests in flight can finish. */
  endStreams(): void;
}

export async function createService(deps: {
  readonly database: Database;
  /** Servers of NATS that keep telemetry until it is correlated; absent or null: the database does. */
  readonly natsUrl?: string | null;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly publicUrl: string;
  /** Whether an operator set `publicUrl`: the dashboard is then served at that host alone. Absent: false. */
  readonly isPublicUrlSet?: boolean;
  /** Address of a trace in the team's tracing system, with `{trace_id}`; absent or null: there is none. */
  readonly traceUrl?: string | null;
  /** Requests per key; absent or null: no limit. */
  readonly rateLimitPerMinute?: number | null;
  /** null: signals are kept forever. */
  readonly signalRetentionDays: number | null;
  /** Of sign-ins and the audit; absent or null: they are kept forever. */
  readonly auditRetentionDays?: number | null;
  /** Of closed incidents; absent or null: they are kept forever. */
  readonly incidentRetentionDays?: number | null;
  /** Time without a signal after which an incident is closed; absent or null: only people close incidents. */
  readonly autoCloseMinutes?: number | null;
  readonly webhooks: RouteDeps['webhooks'];
  /** Whether a monitor elsewhere is called while all is well. Absent: false. */
  readonly isWatched?: boolean;
  /** What wakes people; absent: what needs no setting. */
  readonly ways?: Partial<WaySettings>;
  /** Absent: the default. */
  readonly timeWindow?: TimeWindow;
  /** Absent: in a thread of its own. */
  readonly correlateIn?: 'own thread' | 'this thread';
  /** Sign-in to the dashboard by OpenID Connect; absent or null: not offered. */
  readonly openId?: OpenIdSettings | null;
  readonly registry?: Registry;
  /** Evaluates mappings, and is disposed of with the service; absent: in a process of its own. */
  readonly mappings?: MappingRunner;
  /** Reads addresses of Amazon SNS; absent: by HTTPS. */
  readonly getFromAmazon?: GuardedGet;
}): Promise<Service> {
  const { database, logger, clock, signalRetentionDays, autoCloseMinutes = null, registry = new Registry() } = deps;
  const { now } = clock;
  const publicUrl = deps.publicUrl.replace(/\/+$/, '');
  const metrics = createServiceMetrics(registry);
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const reading = database.share<ServiceTables>(SERVICE_SCHEMA, 'reading');
  const stores = createStores(db, reading);
  const { events, incidents, integrations, keys, monitors, mutes, pageLog, pageWatch, postedAlerts } = stores;
  const { refusedPayloads, regrouping, signInLinks, signals, webhookControl, webhookStore } = stores;
  const eventStreams = createEventStreams({
    database,
    events,
    findWorkingReaders: (ids) => findWorkingReaders(db, ids, now()),
    logger,
  });
  const sender = createWebhookSender({ now, ...deps.webhooks });
  const outside = createGuardedGet(deps.webhooks);
  const wakingDb = database.share<ServiceTables>(SERVICE_SCHEMA, 'waking');
  const performer = createPerformer({ effects: createKeptEffects(wakingDb), logger, clock });
  const eventNews = startWebhooks({
    database,
    performer,
    store: webhookStore,
    sender,
    onAttempt: (outcome) => metrics.webhookAttempted(outcome),
    onDisabled: (because) => metrics.webhookDisabled(because),
    logger,
    now,
    publicUrl,
  });
  const pageSender = createWebhookSender({ now, ...deps.webhooks, timeoutMs: PAGE_TIMEOUT_MS });
  const provider = createProvider({ ...deps.webhooks, now });
  const waking = startWaking({
    db: wakingDb,
    reading,
    fetch: outside.fetch,
    duty: { ...createPeopleStore(wakingDb), ...createScheduleStore(wakingDb) },
    performer,
    sender: pageSender,
    provider,
    settings: { ...NO_PROVIDERS, ...deps.ways },
    publicUrl,
    isPublic: deps.isPublicUrlSet === true && isReachable(new URL(publicUrl)),
    logger,
    now,
  });
  performer.start();
  const { natsUrl = null } = deps;
  const log = openLog(natsUrl, db, logger);
  void log.check().catch(() => undefined); // what cannot be used is logged before the first sender is refused
  const pulse = createCorrelationPulse(db, now);
  const correlator = createCorrelator({
    db: database.share(SERVICE_SCHEMA, 'correlation'),
    source: database.source,
    log,
    natsUrl,
    runsIn: deps.correlateIn ?? 'own thread',
    logger,
    clock,
    events: measureCorrelation(
      registry,
      ({ ids, floods }) => metrics.incidentsOpened(ids.length, floods),
      () => pulse.beat(),
    ),
  });
  correlator.start();
  const timeWindow = deps.timeWindow ?? DEFAULT_TIME_WINDOW;
  const unkept = createUnkeptReports({
    integrations,
    refusedPayloads,
    onUnkept: (kind, count) => metrics.unkept(kind, count),
    logger,
  });
  const intake = createIntake({
    db: database.share(SERVICE_SCHEMA, 'intake'),
    log,
    logger,
    clock,
    signalRetentionDays,
    timeWindow,
    onAccepted: (accepted) => metrics.signalsAccepted(accepted),
    onFolded: (spans) => metrics.namesFolded(spans),
    onOutOfTime: (sender, count, at) => {
      metrics.telemetryOutOfTime(count);
      const found = outOfTime(count, timeWindow);
      if (found !== null && sender !== null) {
        void unkept.report(sender, { ...found, example: null }, at);
      }
    },
    onAppended: () => correlator.kick(),
  });
  const accept = (batch: SignalBatch) => intake.accept(batch);
  const withEnds = (those: Stores) => ({
    ...those,
    integrations: withEndedMonitors(those.integrations, { monitors, accept }),
  });
  const watched = withEnds(stores);
  const declare = createDeclarations({ accept, signals, regrouping, now });
  const getFromAmazon = deps.getFromAmazon ?? outside.get;
  const bodyStarts = createBodyStarts();
  const bodies = bodyStarts.keep(createIncomingBodies());
  const mappings = deps.mappings ?? createMappingRunner();
  const ofUpkeep = database.share<ServiceTables>(SERVICE_SCHEMA, 'upkeep');
  const partitions = createPartitions(ofUpkeep, signalRetentionDays);
  const oldSignals = createSignalRetention(ofUpkeep, signalRetentionDays);
  const audit = createAuditRetention(db, deps.auditRetentionDays ?? null);
  const oldIncidents = createIncidentRetention(db, deps.incidentRetentionDays ?? null);
  const upkeep = [
    createRetention({ ...stores, partitions, signals: oldSignals, oldIncidents, audit, pages: pageLog, logger, clock }),
    createMuteEnd({ mutes, logger, clock }),
    createSilenceWatch({ monitors, accept, logger, clock }),
    createPostedAlertEnd({ alerts: postedAlerts, accept, logger, clock }),
    ...(autoCloseMinutes === null ? [] : [createAutoClose({ incidents, minutes: autoCloseMinutes, logger, clock })]),
  ];
  for (const loop of upkeep) {
    loop.start();
  }
  measureState(registry, {
    countOpenIncidents: () => incidents.countOpen(),
    countWaitingDeliveries: () => webhookStore.countWaiting(),
    longestWaitOfDelivery: () => webhookStore.longestWaitSeconds(),
    pageLateSeconds: () => pageWatch.lateSeconds(),
    pageRefusals: () => pageWatch.refusals(),
    correlationAgeMs: () => pulse.ageMs(),
    queueSize: () => intake.queueSize(),
    openStreams: () => eventStreams.count(),
  });
  const testWebhook = createWebhookTest({ control: webhookControl, sender, clock });
  const api = createApi({
    ...watched,
    inOneTransaction: (work) => inOneTransaction(db, (within) => work(withEnds(createStores(within, within)))),
    declare,
    waking,
    bodyStarts,
    reportUnkept: (id, what, at) => unkept.report(id, what, at),
    readShares: createReadShares(),
    testWebhook,
    verifySns: createSnsVerifier(getFromAmazon),
    getFromAmazon,
    receiveOtlp: createOtlpHandler({ now, bodies, accept }),
    bodies,
    mappings,
    accept,
    eventStreams,
    rateLimitPerMinute: deps.rateLimitPerMinute ?? null,
    metrics,
    logger,
    now,
    publicUrl,
    webhooks: deps.webhooks,
  });
  const readiness = createReadiness({
    database,
    db,
    migrations: Object.keys(serviceMigrations),
    pulse,
    log,
    webhooks: webhookStore,
    pages: pageWatch,
    now,
  });
  const dashboard = createDashboard({
    ...watched,
    declare,
    links: signInLinks,
    outside: {
      ...watched,
      readiness,
      answerState: createStateAnswers({ ...stores, accept, now }),
      testWebhook,
      mappings,
      allowPrivateAddresses: deps.webhooks.allowPrivateAddresses,
    },
    openId: deps.openId ?? null,
    waking,
    whyNoPager: whyNoPager({
      isEmbedded: database.source.kind === 'embedded',
      isWatched: deps.isWatched ?? false,
      publicUrl,
    }),
    eventStreams,
    logger,
    metrics,
    now,
    publicUrl,
    isPublicUrlSet: deps.isPublicUrlSet ?? false,
    traceUrl: deps.traceUrl ?? null,
  });

  return {
    async fetch(request, from = {}) {
      const { pathname } = new URL(request.url);
      return pathname.startsWith('/dashboard')
        ? secure(await dashboard.fetch(request, from), PAGE_HEADERS)
        : secure(await api.fetch(request, from), SECURITY_HEADERS);
    },
    async createKey(name, scope) {
      const { rawKey } = await keys.create(name, scope, now(), KEY_ACTORS.start);
      return rawKey;
    },
    async createFirstKey(given) {
      return (await keys.createFirst(given, now()))?.rawKey ?? null;
    },
    async isValidKey(rawKey) {
      return (await keys.authenticate(rawKey, now())) !== null;
    },
    createAdminLink: () => createPrintedLink(signInLinks, { publicUrl, now: now() }),
    readiness,
    async problem() {
      const problem = await pulse.problem();
      if (problem !== null) {
        return `correlation: ${problem}`;
      }
      return (await log.check().then(() => null, describeUnavailable)) ?? pageWatch.problem();
    },
    endStreams: () => eventStreams.end(),
    async [Symbol.asyncDispose]() {
      await intake[Symbol.asyncDispose]();
      await Promise.all(
        [correlator, eventStreams, eventNews, performer, outside, mappings, ...upkeep].map((part) =>
          part[Symbol.asyncDispose](),
        ),
      );
      await sender[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
      await pageSender[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}
