import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { expect, vi } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import type { OpenIdSettings } from '../../src/service/dashboard/sign-in/openid.ts';
import { createMappingRunner } from '../../src/service/ingest/mapping/mapping-runner.ts';
import type { MailSettings } from '../../src/service/on-call/ways/email/email.ts';
import type { WaySettings } from '../../src/service/on-call/ways/ways.ts';
import { createService, type Service } from '../../src/service/service.ts';
import { borrowTestDatabase, type TestDatabase } from './database.ts';
import { HANG_MS } from './hang.ts';
import { silentLogger } from './logger.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

export const PUBLIC_URL = 'http://tocsin.test:3000';

/** Longer than telemetry waits for what belongs to it. */
export const SETTLE_MS = 18_000;

interface CallOptions {
  /** Absent: the read-write key. null: no key. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, text unchanged. */
  readonly body?: unknown;
}

interface Failure {
  /** Name of the span. */
  readonly name?: string;
  /** Number of spans per service; by default enough to open an incident. */
  readonly times?: number;
  /** Age by the service's clock. */
  readonly agoMs?: number;
  /** Of each span, besides its name and status. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Of the sender. Absent: the read-write key. */
  readonly key?: string;
}

export interface TestService extends AsyncDisposable {
  readonly service: Service;
  readonly registry: Registry;
  readonly database: TestDatabase;
  readonly readWriteKey: string;
  readonly readOnlyKey: string;
  readonly clock: TestClock;
  /** The service's clock. */
  readonly now: () => Date;
  /** Moves the service's clock ahead, not that of its database. */
  advance(ms: number): void;
  call(method: string, path: string, options?: CallOptions): Promise<Response>;
  /** Sends failed spans of each service, like an SDK. */
  failIn(services: readonly string[], failure?: Failure): Promise<void>;
  /**
   * Waits for the newest open incident of the services that `failIn` named last. Moves the clock past the time that
   * signals need to settle.
   */
  openIncident(): Promise<Incident>;
}

/** Its process takes long to start, so the services of a worker share it. */
const MAPPINGS = { ...createMappingRunner(), [Symbol.asyncDispose]: async () => undefined };

/** The service over a throw-away database, called like over HTTP. */
export async function startTestService(
  options: {
    logger?: Logger;
    database?: TestDatabase;
    aheadMs?: number;
    signalRetentionDays?: number;
    auditRetentionDays?: number;
    incidentRetentionDays?: number;
    rateLimitPerMinute?: number;
    registry?: Registry;
    webhooks?: { allowPrivateAddresses: boolean; nameServers?: readonly string[] };
    openId?: OpenIdSettings;
    mail?: MailSettings;
    ways?: Partial<WaySettings>;
    isPublicUrlSet?: boolean;
    publicUrl?: string;
    getFromAmazon?: (url: URL) => Promise<string>;
    natsUrl?: string;
    correlateIn?: 'own thread' | 'this thread';
  } = {},
): Promise<TestService> {
  await using stack = new AsyncDisposableStack();
  const database = options.database ?? stack.use(await borrowTestDatabase());
  let failing: readonly string[] = [];
  const clock = createTestClock(options.aheadMs);
  const { registry = new Registry() } = options;
  const service = stack.use(
    await createService({
      database,
      logger: options.logger ?? silentLogger,
      clock,
      publicUrl: options.publicUrl ?? `${PUBLIC_URL}/`,
      rateLimitPerMinute: options.rateLimitPerMinute ?? null,
      registry,
      signalRetentionDays: options.signalRetentionDays ?? null,
      auditRetentionDays: options.auditRetentionDays ?? null,
      incidentRetentionDays: options.incidentRetentionDays ?? null,
      openId: options.openId ?? null,
      ways: { mail: options.mail ?? null, ...options.ways },
      isPublicUrlSet: options.isPublicUrlSet ?? false,
      ...(options.getFromAmazon === undefined ? {} : { getFromAmazon: options.getFromAmazon }),
      mappings: MAPPINGS,
      natsUrl: options.natsUrl ?? null,
      correlateIn: options.correlateIn ?? 'this thread', // a thread takes long to start
      webhooks: options.webhooks ?? { allowPrivateAddresses: false },
    }),
  );
  const readWriteKey = await service.createKey('test', 'read-write');
  const readOnlyKey = await service.createKey('test reader', 'read-only');

  async function call(method: string, path: string, { key = readWriteKey, headers, body }: CallOptions = {}) {
    const request = new Request(`${PUBLIC_URL}/v1${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return service.fetch(request);
  }

  const disposables = stack.move();
  return {
    service,
    registry,
    database,
    readWriteKey,
    readOnlyKey,
    clock,
    now: clock.now,
    advance: (ms) => clock.advance(ms),
    call,
    async failIn(services, { name = 'GET /', times = 3, agoMs = 0, attributes = {}, key } = {}) {
      failing = services;
      const body = failedSpans(services, name, times, clock.now().getTime() - agoMs, attributes);
      const response = await call('POST', '/traces', { body, ...(key !== undefined && { key }) });
      expect(response.status).toBe(200);
    },
    async openIncident() {
      clock.advance(SETTLE_MS);
      const newest = await vi.waitUntil(() => findNewestOpen(call, failing), { timeout: HANG_MS });
      return Incident.parse(await (await call('GET', `/incidents/${newest}`)).json());
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function findNewestOpen(call: TestService['call'], failing: readonly string[]): Promise<string | undefined> {
  const { incidents } = IncidentList.parse(await (await call('GET', '/incidents?status=open&limit=200')).json());
  return incidents.find(({ root_service: root }) => failing.length === 0 || failing.includes(root))?.id;
}

/** An OTLP/JSON request with failed server spans of each service. */
export function failedSpans(
  services: readonly string[],
  name: string,
  times: number,
  atMs: number,
  attributes: Readonly<Record<string, string>> = {},
) {
  const traceId = randomBytes(16).toString('hex');
  return {
    resourceSpans: services.map((service) => ({
      resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
      scopeSpans: [
        {
          spans: Array.from({ length: times }, () => ({
            traceId,
            spanId: randomBytes(8).toString('hex'),
            name,
            kind: 2,
            attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
            startTimeUnixNano: `${atMs - 20}000000`,
            endTimeUnixNano: `${atMs}000000`,
            status: { code: 2, message: 'connection refused' },
          })),
        },
      ],
    })),
  };
}
