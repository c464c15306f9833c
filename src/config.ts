import { z } from 'zod';
import { NAMINGS, type Naming } from './bot/domain/person.ts';
import { findLookup } from './service/store/key-secret.ts';

export const PARTS = ['bot', 'service', 'local-slack'] as const;
export type Part = (typeof PARTS)[number];

/** Words after `npm start --` that run no part: `cli/` does what they say, and the process ends. */
export const VERBS = ['keys', 'doctor'] as const;

export interface Config {
  /** What this process runs. */
  readonly parts: ReadonlySet<Part>;
  /** Another bot's app manifest, for local Slack alone; null: ours. */
  readonly manifestPath: string | null;
  readonly http: { readonly host: string; readonly port: number; readonly publicUrl: string | null };
  readonly slack: LocalSlackConfig | RemoteSlackConfig;
  readonly service: { readonly kind: 'embedded' } | RemoteServiceConfig;
  /** By what the same service was known before; null: it has not moved. */
  readonly serviceMovedFrom: string | null;
  /** Channel id or `#name`; null: the bot posts no cards of its own accord. */
  readonly channel: string | null;
  readonly database: { readonly url: string | null; readonly dataDir: string };
  readonly pollMs: number;
  /** Of people, to the service. */
  readonly naming: Naming;
  /** Requests that one API key may make to the embedded service; null: no limit. */
  readonly rateLimitPerMinute: number | null;
  /** Taken by an embedded service whose store of keys is empty. */
  readonly bootstrapKey: string | null;
  /** null: for good. */
  readonly signalRetentionDays: number | null;
  /** Of the embedded service; null: only people close incidents. */
  readonly autoCloseMinutes: number | null;
  /** Of the embedded service. */
  readonly webhooks: { readonly allowPrivateAddresses: boolean };
  readonly logLevel: LogLevel;
}

/** Our own stand-in, started by us; with a signing secret it delivers by signed HTTP, else by Socket Mode. */
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

/** One line a fault, each naming the setting and what to do. Holds no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

const LogLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
  error: (issue) => `is ${quote(issue.input)}: set it to one of fatal, error, warn, info, debug, trace, silent`,
});
type LogLevel = z.infer<typeof LogLevel>;

const Port = wholeNumber({ least: 0, most: 65_535, what: 'a port from 0 (any free one) to 65535' });

/** Absent and empty mean the same: compose files pass empty strings. */
const Env = z.object({
  SLACK_BOT_TOKEN: token(
    'xoxb-',
    'the Bot User OAuth Token from OAuth & Permissions in your app’s settings',
  ).optional(),
  SLACK_APP_TOKEN: token('xapp-', 'the app-level token from Basic Information in your app’s settings').optional(),
  SLACK_SIGNING_SECRET: z.string().optional(),
  SLACK_API_URL: url({ protocols: ['http:', 'https:'], example: 'https://slack.com/api/' })
    .transform((text) => (text.endsWith('/') ? text : `${text}/`))
    .optional(),
  INCIDENTS_BASE_URL: url({ protocols: ['http:', 'https:'], example: 'https://incidents.example.com/v1' })
    .transform((text) => text.replace(/\/+$/, ''))
    .refine(
      (text) => text.endsWith('/v1'),
      'must end in /v1: set it to the base address of the service, version and all',
    )
    .optional(),
  INCIDENTS_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'holds a blank or a character no header can carry: copy the key again')
    .optional(),
  INCIDENTS_MOVED_FROM: z
    .string()
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
  INCIDENTS_CHANNEL: z
    .string()
    .regex(/^(#[^\s#]+|[CGD][A-Z0-9]{6,})$/, 'must be a channel id (C0123456789) or a name with its # (#incidents)')
    .optional(),
  INCIDENTS_USER: z
    .enum(NAMINGS, { error: (issue) => `is ${quote(issue.input)}: set it to one of ${NAMINGS.join(', ')}` })
    .default('email'),
  DATABASE_URL: url({
    protocols: ['postgres:', 'postgresql:'],
    example: 'postgres://user:password@host:5432/tocsin',
  }).optional(),
  DATA_DIR: z.string().default('./data'),
  PORT: Port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  LOCAL_SLACK_PORT: Port.default(3100),
  POLL_SECONDS: wholeNumber({ least: 1, most: 3600, what: 'a whole number of seconds from 1 to 3600' }).default(10),
  RATE_LIMIT_PER_MINUTE: wholeNumber({
    least: 0,
    most: 1_000_000,
    what: 'a whole number of requests up to 1000000, or 0 for no limit',
  }).default(1_200),
  BOOTSTRAP_API_KEY: z
    .string()
    .refine(
      (text) => text.startsWith('tcn_rw_') && findLookup(text) !== null,
      'is no read-write API key: make one with npm start --silent -- keys generate',
    )
    .optional(),
  SIGNAL_RETENTION_DAYS: wholeNumber({
    least: 0,
    most: 36_500,
    what: 'a whole number of days, or to 0 to keep signals for good',
  }).default(30),
  AUTO_CLOSE_MINUTES: wholeNumber({
    least: 0,
    most: 525_600,
    what: 'a whole number of minutes without a signal, or to 0 so that only people close incidents',
  }).default(0),
  WEBHOOK_ALLOW_PRIVATE_ADDRESSES: z
    .enum(['true', 'false'], { error: (issue) => `is ${quote(issue.input)}: set it to true or false` })
    .default('false'),
  LOG_LEVEL: LogLevel.default('info'),
  PUBLIC_URL: url({ protocols: ['http:', 'https:'], example: 'https://tocsin.example.com' })
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
});
type Env = z.infer<typeof Env>;

/**
 * @param env the environment, usually `process.env`
 * @param args the part to run alone, or nothing for all that is needed
 * @throws {ConfigError} naming every fault at once
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, args: readonly string[]): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = Env.safeParse(given);
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  const { part, manifestPath } = readPart(args, faults);
  faults.push(...findMismatches(given, part));
  if (!parsed.success || faults.length > 0) {
    throw new ConfigError(faults);
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
      faults.push(`${quote(args.join(' '))}: use npm start -- local-slack --manifest <path of an app manifest>`);
    }
    return { part, manifestPath: manifestPath ?? null };
  }
  if (part === undefined || rest.length > 0) {
    faults.push(
      `${quote(args.join(' '))} is no part to run: use npm start, or npm start -- followed by one of ${[...PARTS, ...VERBS].join(', ')}`,
    );
  }
  return { part: part ?? null, manifestPath: null };
}

/** Faults of settings that are right each by itself and wrong together. */
function findMismatches(given: Readonly<Record<string, unknown>>, part: Part | null): string[] {
  const has = (name: keyof Env) => given[name] !== undefined;
  const needsBot = part === null || part === 'bot';
  const rules: readonly (readonly [boolean, string])[] = [
    [
      has('SLACK_BOT_TOKEN') && !has('SLACK_APP_TOKEN') && !has('SLACK_SIGNING_SECRET') && needsBot,
      'SLACK_APP_TOKEN is missing: set it for Socket Mode, or set SLACK_SIGNING_SECRET for signed HTTP',
    ],
    [
      has('SLACK_APP_TOKEN') && !has('SLACK_BOT_TOKEN'),
      'SLACK_BOT_TOKEN is missing beside SLACK_APP_TOKEN: set both for a real Slack, or neither for the local one',
    ],
    [
      has('SLACK_API_URL') && !has('SLACK_BOT_TOKEN'),
      'SLACK_BOT_TOKEN is missing beside SLACK_API_URL: set both, or neither for the local Slack',
    ],
    [
      has('INCIDENTS_BASE_URL') && !has('INCIDENTS_API_KEY'),
      'INCIDENTS_API_KEY is missing beside INCIDENTS_BASE_URL: set it to a read-write key of that service',
    ],
    [
      has('INCIDENTS_API_KEY') && !has('INCIDENTS_BASE_URL'),
      'INCIDENTS_BASE_URL is missing beside INCIDENTS_API_KEY: set it to the address of the service, ending in /v1',
    ],
    [
      part === 'bot' && !has('SLACK_BOT_TOKEN') && !has('SLACK_APP_TOKEN') && !has('SLACK_API_URL'),
      'SLACK_BOT_TOKEN is missing: the bot alone needs a Slack to talk to (npm start runs all parts together)',
    ],
    [
      part === 'bot' && !has('INCIDENTS_BASE_URL') && !has('INCIDENTS_API_KEY'),
      'INCIDENTS_BASE_URL and INCIDENTS_API_KEY are missing: the bot alone needs a service to talk to (npm start runs all parts together)',
    ],
  ];
  return rules.filter(([isWrong]) => isWrong).map(([, sentence]) => sentence);
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
    http: { host: env.HOST, port: env.PORT, publicUrl: env.PUBLIC_URL ?? null },
    slack,
    service,
    serviceMovedFrom: env.INCIDENTS_MOVED_FROM ?? null,
    channel: env.INCIDENTS_CHANNEL ?? (slack.kind === 'local' ? '#incidents' : null),
    database: { url: env.DATABASE_URL ?? null, dataDir: env.DATA_DIR },
    pollMs: env.POLL_SECONDS * 1000,
    naming: env.INCIDENTS_USER,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE === 0 ? null : env.RATE_LIMIT_PER_MINUTE,
    bootstrapKey: env.BOOTSTRAP_API_KEY ?? null,
    signalRetentionDays: env.SIGNAL_RETENTION_DAYS === 0 ? null : env.SIGNAL_RETENTION_DAYS,
    autoCloseMinutes: env.AUTO_CLOSE_MINUTES === 0 ? null : env.AUTO_CLOSE_MINUTES,
    webhooks: { allowPrivateAddresses: env.WEBHOOK_ALLOW_PRIVATE_ADDRESSES === 'true' },
    logLevel: env.LOG_LEVEL,
  };
}

function token(prefix: string, where: string) {
  return z.string().regex(new RegExp(`^${prefix}[\\x21-\\x7e]+$`), `must begin with ${prefix}: set it to ${where}`);
}

function wholeNumber({ least, most, what }: { readonly least: number; readonly most: number; readonly what: string }) {
  return z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most, {
      error: (issue) => `is ${quote(issue.input)}: set it to ${what}`,
    })
    .transform(Number);
}

/** An address is never repeated in the message: it may hold a password. */
function url({ protocols, example }: { readonly protocols: readonly string[]; readonly example: string }) {
  return z
    .string()
    .refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), `must be an address like ${example}`);
}

function quote(value: unknown): string {
  return JSON.stringify(value);
}
