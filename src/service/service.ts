import type { Logger } from 'pino';
import type { ReadinessCheck } from '../contract/health.ts';
import type { Scope } from '../contract/routes.ts';
import type { Database } from '../database/database.ts';
import { createDashboard } from './dashboard/dashboard.tsx';
import { createEventStreams } from './events/event-streams.ts';
import { startRetention } from './events/retention.ts';
import { createApi } from './http/api.ts';
import type { RouteDeps } from './http/route-handlers.ts';
import { createOtlpHandler, type IngestBatch } from './ingest/otlp-http.ts';
import { createApiKeyStore } from './store/api-key-store.ts';
import { createEventStore } from './store/event-store.ts';
import { createIdempotencyStore } from './store/idempotency-store.ts';
import { createIncidentStore } from './store/incident-store.ts';
import { createIntake } from './store/intake.ts';
import { createIntegrationStore } from './store/integration-store.ts';
import { serviceMigrations } from './store/migrations.ts';
import { createSignalStore } from './store/signal-store.ts';
import { SERVICE_SCHEMA, type ServiceTables } from './store/tables.ts';
import { createWebhookStore } from './store/webhook-store.ts';
import { createWebhookSender } from './webhooks/webhook-sender.ts';
import { startWebhooks } from './webhooks/webhooks.ts';

/** How long what was found about the database holds, in milliseconds. */
const READINESS_MAX_AGE_MS = 1_000;

/** The incident-and-signal service: signals in, incidents out. Any number of them may share one database. */
export interface Service extends AsyncDisposable {
  /** Answers what is below `/v1` and `/dashboard`, and `/v2/enqueue`. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** @returns the raw key, this once */
  createKey(name: string, scope: Scope): Promise<string>;
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
  readonly webhooks: RouteDeps['webhooks'];
}): Promise<Service> {
  const { database, logger, now } = deps;
  const publicUrl = deps.publicUrl.replace(/\/+$/, '');
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const incidents = createIncidentStore(db);
  const signals = createSignalStore(db);
  const integrations = createIntegrationStore(db);
  const keys = createApiKeyStore(db);
  const answers = createIdempotencyStore(db);
  const events = createEventStore(db);
  const eventStreams = createEventStreams({ database, events, logger, publicUrl });
  const webhooks = startWebhooks({
    database,
    store: createWebhookStore(db),
    sender: createWebhookSender({ now, ...deps.webhooks }),
    logger,
    now,
    publicUrl,
  });
  const retention = startRetention({ events, now, logger });
  const intake = createIntake({ db, logger, now });
  const accept = (batch: IngestBatch) => intake.accept(batch);
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
    logger,
    now,
    publicUrl,
    webhooks: deps.webhooks,
  });
  const dashboard = createDashboard({ incidents, signals, keys, logger, now, publicUrl });

  return {
    fetch(request) {
      const { pathname } = new URL(request.url);
      return pathname.startsWith('/dashboard') ? dashboard.fetch(request) : api.fetch(request);
    },
    async createKey(name, scope) {
      const { rawKey } = await keys.create(name, scope, now());
      return rawKey;
    },
    async isValidKey(rawKey) {
      return (await keys.authenticate(rawKey, now())) !== null;
    },
    readiness: createReadiness(database, now),
    endStreams: () => eventStreams.end(),
    async [Symbol.asyncDispose]() {
      await Promise.all([intake, retention, eventStreams, webhooks].map((part) => part[Symbol.asyncDispose]()));
    },
  };
}

function createReadiness(database: Database, now: () => Date): () => Promise<ReadinessCheck[]> {
  let known: { readonly at: number; readonly checks: Promise<ReadinessCheck[]> } | null = null;
  return () => {
    const at = now().getTime();
    if (known === null || at - known.at >= READINESS_MAX_AGE_MS) {
      known = { at, checks: checkDatabase(database) };
    }
    return known.checks;
  };
}

async function checkDatabase(database: Database): Promise<ReadinessCheck[]> {
  try {
    await database.check();
    return [{ name: 'database', ready: true }];
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'the database cannot be reached';
    return [{ name: 'database', ready: false, detail }];
  }
}
