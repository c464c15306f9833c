import type { Naming } from '../bot/slack/person.ts';
import { OperatorError } from '../runtime/operator-error.ts';
import type { OpenIdSettings } from '../service/dashboard/sign-in/openid.ts';
import { countryOf } from '../service/on-call/ways/twilio/phone-number.ts';
import type { WaySettings } from '../service/on-call/ways/ways.ts';
import { findConflicts } from './conflicts.ts';
import { misspeltSettings } from './misspelt.ts';
import { PARTS, type Part } from './parts.ts';
import { readSecretFiles } from './secret-files.ts';
import { Env, type LogLevel } from './settings.ts';
import { VERBS } from './verbs.ts';

export interface Config {
  /** The parts that this process runs. */
  readonly parts: ReadonlySet<Part>;
  /** App manifest of another bot, only for `local-slack`; null: Tocsin's own. */
  readonly manifestPath: string | null;
  readonly http: {
    readonly host: string;
    readonly port: number;
    /** Port of OTLP over gRPC; null: not offered. */
    readonly otlpGrpcPort: number | null;
    /** null: no syslog is taken over TCP and UDP. */
    readonly syslog: { readonly port: number; readonly key: string } | null;
    readonly publicUrl: string | null;
    /** Addresses and ranges of proxies whose `X-Forwarded-For` is believed. */
    readonly trustedProxies: readonly string[];
  };
  /** Address of a trace, with `{trace_id}`; null: there is no tracing system to link to. */
  readonly traceUrl: string | null;
  readonly slack: LocalSlackConfig | RemoteSlackConfig;
  readonly service: { readonly kind: 'embedded' } | RemoteServiceConfig;
  /** Former address of the same service; null: it has not moved. */
  readonly serviceMovedFrom: string | null;
  /** Channel id or `#name`; null: no cards, commands only. */
  readonly channel: string | null;
  readonly database: {
    readonly url: string | null;
    /** The server itself, where `url` is a pooler; null: there is no other way. */
    readonly directUrl: string | null;
    readonly readUrl: string | null;
    readonly dataDir: string;
  };
  /** null: the database keeps telemetry until it is correlated. */
  readonly natsUrl: string | null;
  readonly pollMs: number;
  /** How people are identified to the service. */
  readonly naming: Naming;
  /** Slack user groups whose members may act on incidents; empty: every member of the workspace. */
  readonly responderGroups: readonly string[];
  /** Slack user groups whose members are admins in the dashboard; empty: nobody is by Slack. */
  readonly adminGroups: readonly string[];
  /** Slack user group whose members may change rules; null: every member of the workspace. */
  readonly rulesGroup: string | null;
  /** Requests per minute and API key to the embedded service; null: no limit. */
  readonly rateLimitPerMinute: number | null;
  /** First API key of an embedded service with an empty database. */
  readonly bootstrapKey: string | null;
  /** null: signals are never deleted. */
  readonly signalRetentionDays: number | null;
  /** null: who signed in, and what people did with keys and integrations, is kept forever. */
  readonly auditRetentionDays: number | null;
  /** null: incidents are never deleted. */
  readonly incidentRetentionDays: number | null;
  /** null: the bot keeps everything. */
  readonly botRetentionDays: number | null;
  /** How far the times in telemetry may be from now. */
  readonly timeWindow: { readonly pastMs: number; readonly aheadMs: number };
  /** null: incidents are only closed by people. */
  readonly autoCloseMinutes: number | null;
  /** Sign-in to the dashboard by OpenID Connect; null: not offered. */
  readonly openId: OpenIdSettings | null;
  readonly webhooks: { readonly allowPrivateAddresses: boolean };
  /** Called every minute while this process is healthy; null: nothing is. */
  readonly heartbeatUrl: string | null;
  /** What wakes people. */
  readonly ways: WaySettings;
  /** Where and how this process traces itself; null: it does not. */
  readonly ownTraces: OwnTracesConfig | null;
  /** How long the process serves on after SIGTERM while `/readyz` fails. */
  readonly drainMs: number;
  readonly logLevel: LogLevel;
}

/** The standard variables of OpenTelemetry. */
interface OwnTracesConfig {
  /** Where spans are posted. */
  readonly url: string;
  readonly protocol: string;
  /** As in OTEL_TRACES_SAMPLER. */
  readonly sampler: string;
  /** Share of traces that are sent, for samplers that need it. From 0 to 1. */
  readonly share: number;
}

/** Local Slack, started by this process. With a signing secret it delivers by signed HTTP, otherwise by Socket Mode. */
interface LocalSlackConfig {
  readonly kind: 'local';
  readonly port: number;
  readonly signingSecret: string | null;
}

interface RemoteSlackConfig {
  readonly kind: 'remote';
  readonly apiUrl: string;
  readonly botToken: string;
  /** null: signed HTTP. */
  readonly appToken: string | null;
  readonly signingSecret: string | null;
}

interface RemoteServiceConfig {
  readonly kind: 'remote';
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** One line per fault, with the setting and what to do. Contains no secret. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/**
 * @param env the environment, usually `process.env`
 * @param args the part to run alone; empty: all parts that the settings call for
 * @throws {ConfigError} with all faults
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, args: readonly string[]): Config {
  // Compose files pass empty strings for settings that are not set.
  const set = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value]],
  );
  const faults: string[] = [];
  const given = readSecretFiles(Object.fromEntries(set), faults);
  const parsed = Env.safeParse(given);
  faults.push(...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`));
  const { part, manifestPath } = readPart(args, faults);
  faults.push(...findConflicts(given, part));
  if (!parsed.success || faults.length > 0) {
    throw new ConfigError([...faults, ...misspeltSettings(given)]);
  }
  return { ...present(parsed.data, part), manifestPath };
}

function readPart(
  args: readonly string[],
  faults: string[],
): { readonly part: Part | null; readonly manifestPath: string | null } {
  const [first, ...rest] = args;
  if (first === undefined) {
    return { part: null, manifestPath: null };
  }
  const part = PARTS.find((name) => name === first);
  if (part === 'local-slack' && rest.length > 0) {
    const [flag, manifestPath, ...more] = rest;
    if (flag !== '--manifest' || manifestPath === undefined || more.length > 0) {
      faults.push(
        `${JSON.stringify(args.join(' '))}: use npm start -- local-slack --manifest <path of an app manifest>`,
      );
    }
    return { part, manifestPath: manifestPath ?? null };
  }
  if (part === undefined || rest.length > 0) {
    faults.push(
      `${JSON.stringify(args.join(' '))} is not a part or a command: use npm start, or npm start -- followed by one of ${[...PARTS, ...VERBS].join(', ')}; npm start -- --help explains them`,
    );
  }
  return { part: part ?? null, manifestPath: null };
}

const PUSHOVER_URL = 'https://api.pushover.net';
const TWILIO_URL = 'https://api.twilio.com';

/** Entries separated by commas. */
function entriesOf(text = ''): string[] {
  return text.split(',').flatMap((entry) => entry.trim() || []);
}

function presentOwnTraces(env: Env): OwnTracesConfig | null {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return endpoint === undefined || env.OTEL_SDK_DISABLED
    ? null
    : {
        url: `${endpoint}/v1/traces`,
        protocol: env.OTEL_EXPORTER_OTLP_PROTOCOL,
        sampler: env.OTEL_TRACES_SAMPLER,
        share: env.OTEL_TRACES_SAMPLER_ARG,
      };
}

function presentWays(env: Env): WaySettings {
  const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, TWILIO_FROM: from } = env;
  return {
    mail: env.SMTP_URL === undefined ? null : { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
    ntfy: { url: env.NTFY_URL, token: env.NTFY_TOKEN ?? null },
    pushover: env.PUSHOVER_TOKEN === undefined ? null : { token: env.PUSHOVER_TOKEN, url: PUSHOVER_URL },
    twilio:
      accountSid === undefined || authToken === undefined || from === undefined
        ? null
        : {
            accountSid,
            authToken,
            from,
            url: TWILIO_URL,
            countries: env.TWILIO_COUNTRIES ?? [countryOf(from)].flatMap((country) => country ?? []),
          },
  };
}

function presentOpenId(env: Env): OpenIdSettings | null {
  if (env.OIDC_ISSUER === undefined || env.OIDC_CLIENT_ID === undefined || env.OIDC_CLIENT_SECRET === undefined) {
    return null;
  }
  return {
    issuer: env.OIDC_ISSUER,
    clientId: env.OIDC_CLIENT_ID,
    clientSecret: env.OIDC_CLIENT_SECRET,
    scope: env.OIDC_SCOPE,
    roles: {
      claim: env.OIDC_ROLE_CLAIM,
      lists: {
        viewer: entriesOf(env.OIDC_VIEWERS),
        responder: entriesOf(env.OIDC_RESPONDERS),
        admin: entriesOf(env.OIDC_ADMINS),
      },
    },
  };
}

function present(env: Env, part: Part | null): Omit<Config, 'manifestPath'> {
  const slack: Config['slack'] =
    env.SLACK_BOT_TOKEN === undefined
      ? { kind: 'local', port: env.LOCAL_SLACK_PORT, signingSecret: env.SLACK_SIGNING_SECRET ?? null }
      : {
          kind: 'remote',
          apiUrl: env.SLACK_API_URL ?? 'https://slack.com/api/',
          botToken: env.SLACK_BOT_TOKEN,
          appToken: env.SLACK_APP_TOKEN ?? null,
          signingSecret: env.SLACK_SIGNING_SECRET ?? null,
        };
  const service: Config['service'] =
    env.INCIDENTS_BASE_URL === undefined || env.INCIDENTS_API_KEY === undefined
      ? { kind: 'embedded' }
      : { kind: 'remote', baseUrl: env.INCIDENTS_BASE_URL, apiKey: env.INCIDENTS_API_KEY };
  const needed: readonly Part[] = [
    'bot',
    ...(service.kind === 'embedded' ? (['service'] as const) : []),
    ...(slack.kind === 'local' ? (['local-slack'] as const) : []),
  ];
  return {
    parts: new Set(part === null ? needed : [part]),
    http: {
      host: env.HOST,
      port: env.PORT,
      otlpGrpcPort: env.OTLP_GRPC_PORT ?? null,
      syslog:
        env.SYSLOG_PORT === undefined || env.SYSLOG_KEY === undefined
          ? null
          : { port: env.SYSLOG_PORT, key: env.SYSLOG_KEY },
      publicUrl: env.PUBLIC_URL ?? null,
      trustedProxies: env.TRUSTED_PROXIES,
    },
    traceUrl: env.TRACE_URL ?? null,
    slack,
    service,
    serviceMovedFrom: env.INCIDENTS_MOVED_FROM ?? null,
    channel: env.INCIDENTS_CHANNEL ?? (slack.kind === 'local' ? '#incidents' : null),
    database: {
      url: env.DATABASE_URL ?? null,
      directUrl: env.DATABASE_DIRECT_URL ?? null,
      readUrl: env.DATABASE_READ_URL ?? null,
      dataDir: env.DATA_DIR,
    },
    natsUrl: env.NATS_URL ?? null,
    pollMs: env.POLL_SECONDS * 1000,
    naming: env.INCIDENTS_USER,
    responderGroups: env.RESPONDER_GROUPS ?? [],
    adminGroups: env.ADMIN_GROUPS ?? [],
    rulesGroup: env.RULES_GROUP ?? null,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE === 0 ? null : env.RATE_LIMIT_PER_MINUTE,
    bootstrapKey: env.BOOTSTRAP_API_KEY ?? null,
    signalRetentionDays: env.SIGNAL_RETENTION_DAYS === 0 ? null : env.SIGNAL_RETENTION_DAYS,
    auditRetentionDays: env.AUDIT_RETENTION_DAYS === 0 ? null : env.AUDIT_RETENTION_DAYS,
    incidentRetentionDays: env.INCIDENT_RETENTION_DAYS === 0 ? null : env.INCIDENT_RETENTION_DAYS,
    botRetentionDays: env.BOT_RETENTION_DAYS === 0 ? null : env.BOT_RETENTION_DAYS,
    timeWindow: { pastMs: env.TELEMETRY_MAX_AGE_MINUTES * 60_000, aheadMs: env.TELEMETRY_MAX_AHEAD_SECONDS * 1_000 },
    autoCloseMinutes: env.AUTO_CLOSE_MINUTES === 0 ? null : env.AUTO_CLOSE_MINUTES,
    openId: presentOpenId(env),
    webhooks: { allowPrivateAddresses: env.WEBHOOK_ALLOW_PRIVATE_ADDRESSES === 'true' },
    heartbeatUrl: env.HEARTBEAT_URL ?? null,
    ways: presentWays(env),
    ownTraces: presentOwnTraces(env),
    drainMs: env.DRAIN_SECONDS * 1000,
    logLevel: env.LOG_LEVEL,
  };
}
