import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { ReadinessCheck } from '../contract/health.ts';
import type { Scope } from '../contract/route.ts';
import type { Database } from '../database/database.ts';
import { createRealClock } from '../runtime/clock.ts';
import { KEY_ACTORS } from './core/key-event.ts';
import type { SignalBatch } from './core/signal.ts';
import { measureCorrelation } from './correlation-metrics.ts';
import { createDashboard } from './dashboard/dashboard.tsx';
import type { OpenIdSettings } from './dashboard/sign-in/openid.ts';
import { createEventStreams } from './events/event-streams.ts';
import { createApi } from './http/api.ts';
import { createReadShares } from './http/read-shares.ts';
import type { RouteDeps } from './http/route-handlers.ts';
import { PAGE_HEADERS, SECURITY_HEADERS, secure } from './http/security-headers.ts';
import { createSnsVerifier } from './http/sns-signatures.ts';
import { createBodyStarts } from './ingest/body-starts.ts';
import { createIncomingBodies } from './ingest/incoming-bodies.ts';
import { createMappingRunner } from './ingest/mapping-runner.ts';
import { createOtlpHandler } from './ingest/otlp-http.ts';
import { createDeclarations } from './intake/declarations.ts';
import { createIntake } from './intake/intake.ts';
import { createOutOfTimeNotices } from './intake/report-out-of-time.ts';
import { DEFAULT_TIME_WINDOW, type TimeWindow } from './intake/time-window.ts';
import { createServiceMetrics, measureState } from './metrics.ts';
import { createCorrelator } from './pipeline/correlator.ts';
import { createPrintedLink, type PrintedLink } from './printed-link.ts';
import { createEventStore } from './store/events/event-store.ts';
import { createIdempotencyStore } from './store/idempotency-store.ts';
import { createCardStore } from './store/incidents/card-store.ts';
import { createIncidentStore } from './store/incidents/incident-store.ts';
import { createLessonStore } from './store/incidents/lesson-store.ts';
import { createRegrouping } from './store/incidents/regrouping.ts';
import { createIntegrationStore } from './store/integrations/integration-store.ts';
import { createMonitorStore } from './store/integrations/monitor-store.ts';
import { createPostedAlertStore } from './store/integrations/posted-alert-store.ts';
import { createRefusedPayloadStore } from './store/integrations/refused-payload-store.ts';
import { createApiKeyStore } from './store/keys/api-key-store.ts';
import { hasLeader } from './store/log/correlation-lease.ts';
import { createMuteStore } from './store/mutes/mute-store.ts';
import { createSessionStore } from './store/people/session-store.ts';
import { createSignInLinkStore } from './store/people/sign-in-link-store.ts';
import { findWorkingReaders } from './store/people/stream-readers.ts';
import { createReadiness } from './store/readiness.ts';
import { serviceMigrations } from './store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from './store/schema/tables.ts';
import { createServiceStore } from './store/service-store.ts';
import { createSignalRetention } from './store/signals/signal-retention.ts';
import { createSignalStore } from './store/signals/signal-store.ts';
import { createDeliveryLog } from './store/webhooks/delivery-log.ts';
import { createWebhookControl } from './store/webhooks/webhook-control.ts';
import { createWebhookStore } from './store/webhooks/webhook-store.ts';
import { createAutoClose } from './upkeep/auto-close.ts';
import { createMuteEnd } from './upkeep/end-mutes.ts';
import { createPostedAlertEnd } from './upkeep/end-posted-alerts.ts';
import { createRetention } from './upkeep/retention.ts';
import { createSilenceWatch } from './upkeep/watch-silence.ts';
import { createGuardedGet, type GuardedGet } from './webhooks/guarded-get.ts';
import { createWebhookTest } from './webhooks/send-test-event.ts';
import { createWebhookSender } from './webhooks/webhook-sender.ts';
import { startWebhooks } from './webhooks/webhooks.ts';

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
  /** Why no process correlates; null: one does. */
  correlationProblem(): Promise<string | null>;
  /** Ends endless responses, so that the requests in flight can finish. */
  endStreams(): void;
}

export async function createService(deps: {
  readonly database: Database;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly publicUrl: string;
  /** Whether an operator set `publicUrl`: the dashboard is then served at that host alone. Absent: false. */
  readonly isPublicUrlSet?: boolean;
  /** Address of a trace in the team's tracing system, with `{trace_id}`; absent or null: there is none. */
  readonly traceUrl?: string | null;
  /** Requests per key; absent or null: no limit. */
  readonly rateLimitPerMinute?: number | null;
  /** null: signals are kept forever. */
  readonly signalRetentionDays: number | null;
  /** Time without a signal after which an incident is closed; absent or null: only people close incidents. */
  readonly autoCloseMinutes?: number | null;
  readonly webhooks: RouteDeps['webhooks'];
  /** Absent: the default. */
  readonly timeWindow?: TimeWindow;
  /** Absent: in a thread of its own. */
  readonly correlateIn?: 'own thread' | 'this thread';
  /** Sign-in to the dashboard by OpenID Connect; absent or null: not offered. */
  readonly openId?: OpenIdSettings | null;
  readonly registry?: Registry;
  /** Reads addresses of Amazon SNS; absent: by HTTPS. */
  readonly getFromAmazon?: GuardedGet;
}): Promise<Service> {
  const { database, logger, now, signalRetentionDays, autoCloseMinutes = null, registry = new Registry() } = deps;
  const publicUrl = deps.publicUrl.replace(/\/+$/, '');
  const clock = createRealClock(now);
  const metrics = createServiceMetrics(registry);
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const reading = database.share<ServiceTables>(SERVICE_SCHEMA, 'reading');
  const incidents = createIncidentStore(db, reading);
  const mutes = createMuteStore(db);
  const lessons = createLessonStore(db);
  const cards = createCardStore(db);
  const regrouping = createRegrouping(db);
  const signals = createSignalStore(db, reading);
  const integrations = createIntegrationStore(db);
  const monitors = createMonitorStore(db);
  const keys = createApiKeyStore(db);
  const sessions = createSessionStore(db);
  const signInLinks = createSignInLinkStore(db);
  const idempotency = createIdempotencyStore(db);
  const events = createEventStore(db);
  const webhookStore = createWebhookStore(db);
  const webhookControl = createWebhookControl(db);
  const deliveries = createDeliveryLog(db);
  const eventStreams = createEventStreams({
    database,
    events,
    findWorkingReaders: (ids) => findWorkingReaders(db, ids, now()),
    logger,
  });
  const sender = createWebhookSender({ now, ...deps.webhooks });
  const webhooks = startWebhooks({
    database,
    store: webhookStore,
    sender,
    onAttempt: (outcome) => metrics.webhookAttempted(outcome),
    onDisabled: (because) => metrics.webhookDisabled(because),
    logger,
    clock,
    publicUrl,
  });
  const correlator = createCorrelator({
    db: database.share(SERVICE_SCHEMA, 'correlation'),
    source: database.source,
    runsIn: deps.correlateIn ?? 'own thread',
    logger,
    clock,
    events: measureCorrelation(registry, ({ ids, floods }) => metrics.incidentsOpened(ids.length, floods)),
  });
  correlator.start();
  const refusedPayloads = createRefusedPayloadStore(db);
  const timeWindow = deps.timeWindow ?? DEFAULT_TIME_WINDOW;
  const outOfTime = createOutOfTimeNotices({ refusedPayloads, window: timeWindow, logger });
  const intake = createIntake({
    db: database.share(SERVICE_SCHEMA, 'intake'),
    logger,
    clock,
    signalRetentionDays,
    timeWindow,
    onAccepted: (accepted) => metrics.signalsAccepted(accepted),
    onFolded: (spans) => metrics.namesFolded(spans),
    onOutOfTime: (sender, count, at) => {
      metrics.telemetryOutOfTime(count);
      outOfTime.report(sender, count, at);
    },
    onAppended: () => correlator.kick(),
  });
  const accept = (batch: SignalBatch) => intake.accept(batch);
  const declare = createDeclarations({ accept, signals, regrouping, now });
  const amazon = createGuardedGet(deps.webhooks);
  const getFromAmazon = deps.getFromAmazon ?? amazon.get;
  const bodyStarts = createBodyStarts();
  const bodies = bodyStarts.keep(createIncomingBodies());
  const postedAlerts = createPostedAlertStore(db);
  const mappings = createMappingRunner();
  const oldSignals = createSignalRetention(database.share(SERVICE_SCHEMA, 'upkeep'), signalRetentionDays);
  const upkeep = [
    createRetention({ events, idempotency, deliveries, signals: oldSignals, incidents, logger, clock }),
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
    queueSize: () => intake.queueSize(),
    openStreams: () => eventStreams.count(),
  });
  const testWebhook = createWebhookTest({ control: webhookControl, sender, clock });
  const api = createApi({
    incidents,
    declare,
    regrouping,
    mutes,
    cards,
    signals,
    integrations,
    monitors,
    refusedPayloads,
    bodyStarts,
    deliveries,
    readShares: createReadShares(),
    signInLinks,
    webhookControl,
    testWebhook,
    keys,
    idempotency,
    verifySns: createSnsVerifier(getFromAmazon),
    getFromAmazon,
    receiveOtlp: createOtlpHandler({ now, bodies, accept }),
    bodies,
    postedAlerts,
    mappings,
    accept,
    events,
    eventStreams,
    rateLimitPerMinute: deps.rateLimitPerMinute ?? null,
    metrics,
    logger,
    now,
    publicUrl,
    webhooks: deps.webhooks,
  });
  const dashboard = createDashboard({
    incidents,
    declare,
    signals,
    keys,
    sessions,
    links: signInLinks,
    outside: {
      integrations,
      refusedPayloads,
      deliveries,
      webhookControl,
      testWebhook,
      mappings,
      allowPrivateAddresses: deps.webhooks.allowPrivateAddresses,
    },
    openId: deps.openId ?? null,
    services: createServiceStore(db),
    mutes,
    lessons,
    cards,
    regrouping,
    events,
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
        : secure(await api.fetch(request), SECURITY_HEADERS);
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
    readiness: createReadiness({ database, db, migrations: Object.keys(serviceMigrations), now }),
    correlationProblem: async () =>
      (await hasLeader(db)) ? null : 'correlation: no process turns signals into incidents',
    endStreams: () => eventStreams.end(),
    async [Symbol.asyncDispose]() {
      await intake[Symbol.asyncDispose]();
      await Promise.all(
        [correlator, eventStreams, webhooks, amazon, mappings, ...upkeep].map((part) => part[Symbol.asyncDispose]()),
      );
    },
  };
}
