import { isIP } from 'node:net';
import { z } from 'zod';
import { NAMINGS } from '../bot/slack/person.ts';
import { firstSegment, SERVICE_PATHS, SLACK_PATH } from '../contract/paths.ts';
import { isDatabaseUrl } from '../database/database-url.ts';
import { isNatsUrl } from '../service/log/nats-connection.ts';
import { countryOf, isCountry } from '../service/on-call/ways/twilio/phone-number.ts';
import { findLookup } from '../service/store/keys/key-secret.ts';
import { isProxyEntry } from './client-address.ts';

const LogLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
  error: (issue) => `is ${quote(issue.input)}: set it to one of fatal, error, warn, info, debug, trace, silent`,
});
export type LogLevel = z.infer<typeof LogLevel>;

const HOST_NAME = /^[a-z\d]([a-z\d.-]{0,251}[a-z\d])?$/i;

const Port = wholeNumber({ least: 0, most: 65_535, zero: 'any free port' });

const UserGroups = z
  .string()
  .transform((text) => text.split(',').map((group) => group.trim().replace(/^@/, '')))
  .refine((groups) => groups.every((group) => /^\S+$/.test(group)), {
    error: 'must be handles or ids of Slack user groups, separated by commas: @sre,@payments-oncall',
  });

/** All environment variables that Tocsin reads. The descriptions are what `npm start -- --help` prints. */
export const Env = z.object({
  SLACK_BOT_TOKEN: token('xoxb-', 'the Bot User OAuth Token from OAuth & Permissions in your app’s settings')
    .optional()
    .describe('bot token (xoxb-…) of a Slack app; without it, Tocsin starts local Slack'),
  SLACK_APP_TOKEN: token('xapp-', 'the app-level token from Basic Information in your app’s settings')
    .optional()
    .describe('app-level token (xapp-…) for Socket Mode; without it, the bot uses signed HTTP'),
  SLACK_SIGNING_SECRET: z
    .string()
    .optional()
    .describe('for signed HTTP at /slack/events; without a bot token, local Slack uses signed HTTP too'),
  SLACK_API_URL: url({ protocols: ['http:', 'https:'], example: 'https://slack.com/api/' })
    .transform((text) => (text.endsWith('/') ? text : `${text}/`))
    .optional()
    .describe('address of the Slack Web API; default https://slack.com/api/'),
  INCIDENTS_BASE_URL: url({ protocols: ['http:', 'https:'], example: 'https://incidents.example.com/v1' })
    .transform((text) => text.replace(/\/+$/, ''))
    .refine(
      (text) => text.endsWith('/v1'),
      'must end in /v1: set it to the base address of the service, including the version',
    )
    .optional()
    .describe('address of the incident service, ending in /v1; without it, Tocsin starts its own'),
  INCIDENTS_API_KEY: z
    .string()
    .regex(
      /^[\x21-\x7e]+$/,
      'contains a space or another character that is not allowed in a header: copy the key again',
    )
    .optional()
    .describe('read-write API key for INCIDENTS_BASE_URL'),
  INCIDENTS_MOVED_FROM: z
    .string()
    .transform((text) => text.replace(/\/+$/, ''))
    .refine(
      (text) => text === 'embedded' || /^https?:\/\/.+\/v1$/.test(text),
      'must be the previous INCIDENTS_BASE_URL, ending in /v1, or embedded if the service ran in one process with the bot',
    )
    .optional()
    .describe('previous address of the same service, after its address has changed'),
  INCIDENTS_CHANNEL: z
    .string()
    .regex(/^(#[^\s#]+|[CGD][A-Z0-9]{6,})$/, 'must be a channel id (C0123456789) or a name with its # (#incidents)')
    .optional()
    .describe('channel (id or #name) for cards; default #incidents in local Slack, otherwise none'),
  INCIDENTS_USER: z
    .enum(NAMINGS, { error: (issue) => `is ${quote(issue.input)}: set it to one of ${NAMINGS.join(', ')}` })
    .default('email')
    .describe('how people are identified to the service: email, name or id'),
  RESPONDER_GROUPS: UserGroups.optional().describe(
    'user groups of Slack (handles or ids) whose members may act; without it, every member of the workspace',
  ),
  ADMIN_GROUPS: UserGroups.optional().describe(
    'user groups of Slack whose members are admins in the dashboard by /incidents dashboard; default none',
  ),
  RULES_GROUP: z
    .string()
    .transform((text) => text.trim().replace(/^@/, ''))
    .refine((group) => /^[^\s,]+$/.test(group), { error: 'must be the handle or id of one Slack user group: @leads' })
    .optional()
    .describe('user group of Slack (handle or id) whose members may change rules; without it, every member'),
  DATABASE_URL: databaseUrl()
    .optional()
    .describe('address of a PostgreSQL server; without it, Tocsin runs its own in DATA_DIR'),
  DATABASE_DIRECT_URL: databaseUrl()
    .optional()
    .describe(
      'address of the server itself where DATABASE_URL is a pooler; without it, Tocsin asks for news by polling',
    ),
  DATABASE_READ_URL: databaseUrl()
    .optional()
    .describe(
      'address of a streaming replica of DATABASE_URL for lists, search, pages and exports; without it, all is read there',
    ),
  NATS_URL: z
    .string()
    .refine(isNatsUrl, 'must be addresses like nats://user:password@one:4222,two:4222,three:4222')
    .optional()
    .describe('servers of NATS JetStream, which keep telemetry until it is correlated; without it, the database does'),
  DATA_DIR: z.string().default('./data').describe('folder for the database and the keys of this machine'),
  PORT: Port.default(3000).describe('port for the API, the dashboard and signed HTTP; 0: any free port'),
  OTLP_GRPC_PORT: Port.optional().describe(
    'port for OTLP over gRPC, without TLS, usually 4317; 0: any free port; without it, only OTLP over HTTP',
  ),
  SYSLOG_PORT: Port.optional().describe(
    'port for syslog over TCP and UDP, without TLS, usually 5514; 0: any free port; needs SYSLOG_KEY',
  ),
  SYSLOG_KEY: z.string().min(1).optional().describe('ingest key of an integration of type syslog, for SYSLOG_PORT'),
  HOST: z
    .string()
    .refine((text) => isIP(text) !== 0 || HOST_NAME.test(text), 'must be an address or a host name: 127.0.0.1')
    .default('127.0.0.1')
    .describe('address to listen on'),
  LOCAL_SLACK_PORT: Port.default(3100).describe('port of local Slack; 0: any free port'),
  POLL_SECONDS: wholeNumber({ least: 1, most: 3_600 }).default(10).describe('seconds between two polls of the service'),
  RATE_LIMIT_PER_MINUTE: wholeNumber({ least: 0, most: 1_000_000, zero: 'no limit' })
    .default(1_200)
    .describe('requests per API key and process; 0: no limit'),
  BOOTSTRAP_API_KEY: z
    .string()
    .refine(
      (text) => text.startsWith('tcn_rw_') && findLookup(text) !== null,
      'is not a read-write API key: create one with npm start --silent -- keys generate',
    )
    .optional()
    .describe('first API key of an empty database; without it, the service prints one'),
  SIGNAL_RETENTION_DAYS: wholeNumber({ least: 0, most: 36_500, zero: 'forever' })
    .default(30)
    .describe('days to keep signals, longer for open incidents; 0: forever'),
  AUDIT_RETENTION_DAYS: wholeNumber({ least: 0, most: 36_500, zero: 'forever' })
    .default(400)
    .describe('days to keep who signed in and what people did with keys and integrations; 0: forever'),
  INCIDENT_RETENTION_DAYS: wholeNumber({ least: 0, most: 36_500, zero: 'forever' })
    .default(0)
    .describe('days that the service keeps closed incidents, with their notes and pages; 0: forever'),
  BOT_RETENTION_DAYS: wholeNumber({ least: 0, most: 36_500, zero: 'forever' })
    .refine((days) => days === 0 || days >= 30, { error: 'must be at least 30, or 0 to keep everything' })
    .default(400)
    .describe('days that the bot keeps closed incidents, their cards and its audit log; 0: forever'),
  AUTO_CLOSE_MINUTES: wholeNumber({ least: 0, most: 525_600, zero: 'never' })
    .default(0)
    .describe('minutes without a signal after which an incident is closed automatically; 0: never'),
  TELEMETRY_MAX_AGE_MINUTES: wholeNumber({ least: 1, most: 1_440 })
    .default(15)
    .describe('age from which spans, log lines and metrics are not correlated any more; failures stay signals'),
  TELEMETRY_MAX_AHEAD_SECONDS: wholeNumber({ least: 0, most: 86_400 })
    .default(120)
    .describe('how far the clock of a sender may be ahead before it is told on the page of its integration'),
  WEBHOOK_ALLOW_PRIVATE_ADDRESSES: z
    .enum(['true', 'false'], { error: (issue) => `is ${quote(issue.input)}: set it to true or false` })
    .default('false')
    .describe('whether webhooks may reach private addresses'),
  HEARTBEAT_URL: url({ protocols: ['http:', 'https:'], example: 'https://hc-ping.com/your-uuid' })
    .optional()
    .describe('address that Tocsin calls every minute while it is healthy, so that its death is noticed; default none'),
  SMTP_URL: url({ protocols: ['smtp:', 'smtps:'], example: 'smtp://user:password@mail.example.com:587' })
    .optional()
    .describe('mail server that wakes people by e-mail; default none'),
  MAIL_FROM: z
    .email({ pattern: z.regexes.email, error: 'must be an e-mail address like tocsin@example.com' })
    .default('tocsin@localhost.localdomain')
    .describe('sender of these mails'),
  NTFY_URL: url({ protocols: ['http:', 'https:'], example: 'https://ntfy.example.com' })
    .refine((text) => URL.parse(text)?.pathname === '/', 'must have no path')
    .transform((text) => new URL(text).origin)
    .default('https://ntfy.sh')
    .describe('ntfy server that wakes people, also at a private address'),
  NTFY_TOKEN: token('tk_', 'an access token of that server').optional().describe('access token (tk_…) for NTFY_URL'),
  PUSHOVER_TOKEN: z
    .string()
    .regex(/^[A-Za-z0-9]{30}$/, 'must be the API token of an application of Pushover: 30 letters and digits')
    .optional()
    .describe('application token of Pushover, which wakes people; default none'),
  TWILIO_ACCOUNT_SID: z
    .string()
    .regex(/^AC[0-9a-f]{32}$/i, 'must be the Account SID of Twilio: AC and 32 digits')
    .optional()
    .describe('account of Twilio that wakes people by SMS and calls; default none'),
  TWILIO_AUTH_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'contains a space or another character that no token has: copy it again')
    .optional()
    .describe('auth token of TWILIO_ACCOUNT_SID'),
  TWILIO_FROM: z
    .string()
    .transform((text) => text.replaceAll(/[ ()-]/g, ''))
    .refine((text) => countryOf(text) !== null, 'must be a number of your account with its country, like +4930123456')
    .optional()
    .describe('number of TWILIO_ACCOUNT_SID that sends SMS and places calls'),
  TWILIO_COUNTRIES: z
    .string()
    .transform((text) => text.split(',').flatMap((country) => country.trim().toUpperCase() || []))
    .refine((countries) => countries.every(isCountry), 'must be codes of countries, separated by commas: DE,AT,CH')
    .optional()
    .describe('countries whose numbers may be called; default that of TWILIO_FROM'),
  DRAIN_SECONDS: wholeNumber({ least: 0, most: 600, zero: 'stop at once' })
    .default(5)
    .describe('seconds between SIGTERM and the end of listening, so that a load balancer notices; 0: none'),
  LOG_LEVEL: LogLevel.default('info').describe('fatal, error, warn, info, debug, trace or silent'),
  TRACE_URL: url({ protocols: ['http:', 'https:'], example: 'https://tracing.example.com/trace/{trace_id}' })
    .refine(
      (text) => text.includes('{trace_id}'),
      'must contain {trace_id}: set it to the address of a trace in your tracing system',
    )
    .optional()
    .describe('address of a trace in your tracing system, with {trace_id}; without it, traces are not links'),
  PUBLIC_URL: url({ protocols: ['http:', 'https:'], example: 'https://tocsin.example.com' })
    .refine((text) => !/[?#]/.test(text), 'must end with its host or a path: leave out what begins with ? or #')
    .refine((text) => !OWN_PATHS.has(firstSegment(URL.parse(text)?.pathname ?? '')), {
      error:
        'must not have a path that begins like one of Tocsin itself: choose another, like https://example.com/tocsin',
    })
    .transform((text) => text.replace(/\/+$/, ''))
    .optional()
    .describe('address for people and senders, also with a path; default http://HOST:PORT'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((entry) => entry.trim() || []))
    .refine((entries) => entries.every(isProxyEntry), {
      error: 'must be addresses or ranges, separated by commas: 10.0.0.0/8,192.0.2.7',
    })
    .describe('proxies in front of Tocsin (addresses or ranges) whose X-Forwarded-For is believed; default none'),
  OIDC_ISSUER: url({ protocols: ['http:', 'https:'], example: 'https://accounts.google.com' })
    .refine(isSafeIssuer, 'must begin with https, except on this machine')
    .optional()
    .describe('address of the OpenID provider whose people may sign in to the dashboard'),
  OIDC_CLIENT_ID: z.string().optional().describe('client id of Tocsin at OIDC_ISSUER'),
  OIDC_CLIENT_SECRET: z.string().optional().describe('client secret of Tocsin at OIDC_ISSUER'),
  OIDC_SCOPE: z
    .string()
    .refine((scope) => scope.split(/\s+/).includes('openid'), 'must contain openid: openid profile email')
    .default('openid profile email')
    .describe('scopes that Tocsin asks of OIDC_ISSUER'),
  OIDC_ROLE_CLAIM: z.string().default('groups').describe('claim whose values the three lists below name'),
  OIDC_VIEWERS: z
    .string()
    .optional()
    .describe('values of OIDC_ROLE_CLAIM or verified emails, separated by commas; *: everybody'),
  OIDC_RESPONDERS: z.string().optional().describe('the same for those who may also act on incidents'),
  OIDC_ADMINS: z.string().optional().describe('the same for those who may also manage keys and integrations'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url({ protocols: ['http:', 'https:'], example: 'http://collector.example.com:4318' })
    .transform((text) => text.replace(/\/+$/, ''))
    .optional()
    .describe('address of an OTLP receiver for traces of Tocsin itself; default none'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .string()
    .default('http/protobuf')
    .describe('http/protobuf; with another one, Tocsin does not trace itself'),
  OTEL_TRACES_SAMPLER: z
    .string()
    .default('parentbased_always_on')
    .describe(
      'which traces of Tocsin itself are sent: always_on, always_off or traceidratio, with or without parentbased_',
    ),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .default('1')
    .transform(Number)
    .refine((share) => share >= 0 && share <= 1, 'must be a number from 0 to 1')
    .describe('the share that traceidratio sends'),
  OTEL_SDK_DISABLED: z
    .string()
    .default('false')
    .transform((text) => text.toLowerCase() === 'true')
    .describe('true: Tocsin does not trace itself'),
});
/** With one of these as the public path, nobody could tell whether a proxy has stripped it. */
const OWN_PATHS = new Set([...SERVICE_PATHS, SLACK_PATH, '/healthz', '/readyz', '/metrics']);

export type Env = z.infer<typeof Env>;

function token(prefix: string, where: string) {
  return z.string().regex(new RegExp(`^${prefix}[\\x21-\\x7e]+$`), `must begin with ${prefix}: set it to ${where}`);
}

/** @param zero - what 0 means, if it is more than a small number */
function wholeNumber({ least, most, zero }: { readonly least: number; readonly most: number; readonly zero?: string }) {
  const meaning = zero === undefined ? '' : ` (0: ${zero})`;
  return z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most, {
      error: (issue) => `is ${quote(issue.input)}: set it to a whole number from ${least} to ${most}${meaning}`,
    })
    .transform(Number);
}

/** The message does not repeat the address, which may contain a password. What is no address is not checked further. */
function url({ protocols, example }: { readonly protocols: readonly string[]; readonly example: string }) {
  return z.string().refine(
    (text) => {
      const parsed = URL.parse(text);
      return parsed !== null && protocols.includes(parsed.protocol) && parsed.hostname !== '';
    },
    { error: `must be an address like ${example}`, abort: true },
  );
}

function databaseUrl() {
  return z.string().refine(isDatabaseUrl, 'must be an address like postgres://user:password@host:5432/tocsin');
}

function isSafeIssuer(text: string): boolean {
  const issuer = URL.parse(text);
  return issuer?.protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(issuer?.hostname ?? '');
}

function quote(value: unknown): string {
  return JSON.stringify(value);
}
