import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { ReadinessCheck } from '../contract/health.ts';
import type { Scope } from '../contract/routes.ts';
import type { Database } from '../database/database.ts';
import { startAutoClose } from './auto-close.ts';
import { KEY_ACTORS } from './core/key-event.ts';
import { createDashboard } from './dashboard/dashboard.tsx';
import { createEventStreams } from './events/event-streams.ts';
import { createApi } from './http/api.ts';
import type { RouteDeps } from './http/route-handlers.ts';
import { createOtlpHandler, type IngestBatch } from './ingest/otlp-http.ts';
import { createServiceMetrics, measureState } from './metrics.ts';
import { createReadiness } from './readiness.ts';
import { startRetention } from './retention.ts';
import { createApiKeyStore } from './store/api-key-store.ts';
import { createEventStore } from './store/event-store.ts';
import { createIdempotencyStore } from './store/idempotency-store.ts';
import { createIncidentStore } from './store/incident-store.ts';
import { createIntake } from './store/intake.ts';
import { createIntegrationStore } from './store/integration-store.ts';
import { serviceMigrations } from './store/migrations.ts';
import { createSignalRetention } from './store/signal-retention.ts';
import { createSignalStore } from './store/signal-store.ts';
import { SERVICE_SCHEMA, type ServiceTables } from './store/tables.ts';
import { createWebhookStore } from './store/webhook-store.ts';
import { createWebhookSender } from './webhooks/webhook-sender.ts';
import { startWebhooks } from './webhooks/webhooks.ts';

/** The incident-and-signal service: signals in, incidents out. Any number of them may share one database. */
export interface Service extends AsyncDisposable {
  /** Answers what is below `/v1` and `/dashboard`, and `/v2/enqueue`. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** @returns the raw key, this once */
  createKey(name: string, scope: Scope): Promise<string>;
  /**
   * The first key of an empty store, read-write.
   *
   * @param given the key to take; null: one is made
   * @returns the raw key, this once; null: there are keys
   */
  createFirstKey(given: string | null): Promise<string | null>;
  isValidKey(rawKey: string): Promise<boolean>;
  readiness(): Promise<ReadinessCheck[]>;
  /** Ends what would never end by itself, so that the requests in flight can come to an end. */
  endStreams(): void;
}

export async function createService(deps: {
  readonly database: Database;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly publicUrl: string;
  /** Requests of one key; absent or null: no limit. */
  readonly rateLimitPerMinute?: number | null;
  /** null: signals are kept for good. */
  readonly signalRetentionDays: number | null;
  /** Without a signal, until an incident is closed; absent or null: only people close them. */
  readonly autoCloseMinutes?: number | null;
  readonly webhooks: RouteDeps['webhooks'];
  /** Where the service declares what it counts; absent: nobody reads it. */
  readonly registry?: Registry;
}): Promise<Service> {
  const { database, logger, now, rateLimitPerMinute = null, signalRetentionDays, registry = new Registry() } = deps;
  const publicUrl = deps.publicUrl.replace(/\/+$/, '');
  const metrics = createServiceMetrics(registry);
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const incidents = createIncidentStore(db);
  const signals = createSignalStore(db);
  const integrations = createIntegrationStore(db);
  const keys = createApiKeyStore(db);
  const answers = createIdempotencyStore(db);
  const events = createEventStore(db);
  const eventStreams = createEventStreams({ database, events, logger, publicUrl });
  const deliveries = createWebhookStore(db);
  const webhooks = startWebhooks({
    database,
    store: deliveries,
    sender: createWebhookSender({ now, ...deps.webhooks }),
    metrics,
    logger,
    now,
    publicUrl,
  });
  const oldSignals = createSignalRetention(db, signalRetentionDays);
  const retention = startRetention({ events, answers, signals: oldSignals, logger, now });
  const autoClose = startAutoClose({ incidents, minutes: deps.autoCloseMinutes ?? null, logger, now });
  const intake = createIntake({
    db,
    logger,
    now,
    signalRetentionDays,
    onIncidentsOpened: (count) => metrics.incidentsOpened(count),
  });
  measureState(registry, {
    countOpenIncidents: () => incidents.countOpen(),
    countWaitingDeliveries: () => deliveries.countWaiting(),
    queueSize: () => intake.queueSize(),
    openStreams: () => eventStreams.count(),
  });
  const accept = async (batch: IngestBatch) => {
    await intake.accept(batch);
    metrics.signalsAccepted(batch.signals);
  };
  const receiveOtlp = createOtlpHandler({ now, accept });
  const api = createApi({
    incidents,
    signals,
    integrations,
    keys,
    answers,
    receiveOtlp,
    accept,
    events,
    eventStreams,
    rateLimitPerMinute,
    metrics,
    logger,
    now,
    publicUrl,
    webhooks: deps.webhooks,
  });
  const dashboard = createDashboard({ incidents, signals, keys, logger, metrics, now, publicUrl });

  return {
    fetch(request) {
      const { pathname } = new URL(request.url);
      return pathname.startsWith('/dashboard') ? dashboard.fetch(request) : api.fetch(request);
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
    readiness: createReadiness({ database, db, migrations: Object.keys(serviceMigrations), now }),
    endStreams: () => eventStreams.end(),
    async [Symbol.asyncDispose]() {
      await Promise.all(
        [intake, retention, autoClose, eventStreams, webhooks].map((part) => part[Symbol.asyncDispose]()),
      );
    },
  };
}
