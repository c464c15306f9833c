import { PUSH_PATHS } from '../contract/push.ts';
import { createRealClock } from '../runtime/clock.ts';
import { openOtlpGrpc } from '../service/ingest/formats/otlp/otlp-grpc.ts';
import { openSyslog } from '../service/ingest/formats/syslog/syslog-server.ts';
import type { PrintedLink } from '../service/printed-link.ts';
import { createService, type Service } from '../service/service.ts';
import type { Deps, Shared } from './deps.ts';
import { provideFirstKey } from './first-key.ts';
import { listenFault } from './listen-fault.ts';
import { type LocalKeys, provideLocalKeys } from './local-keys.ts';

export interface OpenService {
  /** Keys in files for programs on this machine; null: not provided. */
  readonly keys: LocalKeys | null;
  /** The first key of an empty database, to be shown once; null: none was created. */
  readonly firstKey: string | null;
  /** Signs in to the dashboard once, to be shown on this machine; null: the service or its database runs elsewhere. */
  readonly signInLink: PrintedLink | null;
  readonly service: Service;
}

/** Starts the service behind the front door, and provides the keys of programs and people on this machine. */
export async function openService(
  deps: Deps,
  started: AsyncDisposableStack,
  { database, door, registry }: Shared,
): Promise<OpenService> {
  const { config, logger, now, onStep } = deps;
  onStep('the service');
  const service = started.use(
    await createService({
      database,
      natsUrl: config.natsUrl,
      logger: logger.child({ part: 'service' }),
      clock: createRealClock(now),
      publicUrl: config.http.publicUrl ?? door.url,
      isPublicUrlSet: config.http.publicUrl !== null,
      traceUrl: config.traceUrl,
      rateLimitPerMinute: config.rateLimitPerMinute,
      registry,
      signalRetentionDays: config.signalRetentionDays,
      auditRetentionDays: config.auditRetentionDays,
      incidentRetentionDays: config.incidentRetentionDays,
      timeWindow: config.timeWindow,
      autoCloseMinutes: config.autoCloseMinutes,
      webhooks: config.webhooks,
      ways: config.ways,
      isWatched: config.heartbeatUrl !== null,
      openId: config.openId,
    }),
  );
  door.handlers.service = service.fetch;
  await openPorts(deps, started, service);
  return { service, ...(await provideKeys(deps, service)) };
}

/** What is not HTTP. */
async function openPorts({ config, logger }: Deps, started: AsyncDisposableStack, service: Service): Promise<void> {
  const { host, otlpGrpcPort, syslog } = config.http;
  if (otlpGrpcPort !== null) {
    started.use(
      await openOtlpGrpc(host, otlpGrpcPort, (request) => service.fetch(request)).catch((error: unknown) => {
        throw listenFault(error, { host, port: otlpGrpcPort, setting: 'OTLP_GRPC_PORT' });
      }),
    );
  }
  if (syslog !== null) {
    const post = (body: string) => service.fetch(syslogRequest(syslog.key, body));
    started.use(
      await openSyslog(host, syslog.port, { post, logger: logger.child({ part: 'syslog' }) }).catch(
        (error: unknown) => {
          throw listenFault(error, { host, port: syslog.port, setting: 'SYSLOG_PORT' });
        },
      ),
    );
  }
}

function syslogRequest(key: string, body: string): Request {
  return new Request(`http://127.0.0.1${PUSH_PATHS.syslog}`, { method: 'POST', headers: { 'x-api-key': key }, body });
}

/**
 * Local programs find their keys in files; programs on other machines start with the first key. A link is printed where
 * people can see it: on the machine of the database, and at the first start elsewhere.
 */
async function provideKeys({ config, logger }: Deps, service: Service): Promise<Omit<OpenService, 'service'>> {
  const { parts, database, bootstrapKey } = config;
  const firstKey = await provideFirstKey({ service, bootstrapKey, mayMake: !parts.has('bot'), logger });
  const isDatabaseHere = database.url === null;
  const keys = parts.has('bot') || isDatabaseHere ? await provideLocalKeys(database.dataDir, service) : null;
  const signInLink = isDatabaseHere || firstKey !== null ? await service.createAdminLink() : null;
  return { keys, firstKey, signInLink };
}
