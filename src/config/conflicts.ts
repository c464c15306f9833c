import type { Part } from './parts.ts';
import type { Env } from './settings.ts';

const OPENID_SETTINGS = [
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_VIEWERS',
  'OIDC_RESPONDERS',
  'OIDC_ADMINS',
] as const;

const TWILIO_SETTINGS = ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'] as const;

/** Settings that are valid one by one but contradict each other. */
export function findConflicts(given: Readonly<Record<string, unknown>>, part: Part | null): string[] {
  const has = (name: keyof Env) => given[name] !== undefined;
  const needsBot = part === null || part === 'bot';
  const rules: readonly (readonly [boolean, string])[] = [
    [
      has('SLACK_BOT_TOKEN') && !has('SLACK_APP_TOKEN') && !has('SLACK_SIGNING_SECRET') && needsBot,
      'SLACK_APP_TOKEN is missing: set it for Socket Mode, or set SLACK_SIGNING_SECRET for signed HTTP',
    ],
    [
      has('SYSLOG_PORT') !== has('SYSLOG_KEY'),
      'SYSLOG_PORT and SYSLOG_KEY need each other: set both (the key is that of an integration of type syslog), or none',
    ],
    [
      TWILIO_SETTINGS.some(has) && !TWILIO_SETTINGS.every(has),
      'TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM need each other: set all three, or none',
    ],
    [
      has('TWILIO_COUNTRIES') && !has('TWILIO_ACCOUNT_SID'),
      'TWILIO_ACCOUNT_SID is missing: TWILIO_COUNTRIES is set; set both, or neither',
    ],
    [
      has('DATABASE_DIRECT_URL') && !has('DATABASE_URL'),
      'DATABASE_URL is missing: DATABASE_DIRECT_URL is set; set both, or neither for the embedded PostgreSQL',
    ],
    [
      has('DATABASE_READ_URL') && !has('DATABASE_URL'),
      'DATABASE_URL is missing: DATABASE_READ_URL is set; set both, or neither for the embedded PostgreSQL',
    ],
    [
      Number(given.INCIDENT_RETENTION_DAYS ?? 0) > 0 && given.SIGNAL_RETENTION_DAYS === '0',
      'INCIDENT_RETENTION_DAYS has no effect while SIGNAL_RETENTION_DAYS is 0: signals keep their incident, so set days for both',
    ],
    [
      has('SLACK_APP_TOKEN') && !has('SLACK_BOT_TOKEN'),
      'SLACK_BOT_TOKEN is missing: SLACK_APP_TOKEN is set; set both for a real Slack, or neither for local Slack',
    ],
    [
      has('SLACK_API_URL') && !has('SLACK_BOT_TOKEN'),
      'SLACK_BOT_TOKEN is missing: SLACK_API_URL is set; set both, or neither for local Slack',
    ],
    [
      has('INCIDENTS_BASE_URL') && !has('INCIDENTS_API_KEY'),
      'INCIDENTS_API_KEY is missing: INCIDENTS_BASE_URL is set; also set a read-write key of that service',
    ],
    [
      has('INCIDENTS_API_KEY') && !has('INCIDENTS_BASE_URL'),
      'INCIDENTS_BASE_URL is missing: INCIDENTS_API_KEY is set; also set the address of the service, ending in /v1',
    ],
    [
      part === 'bot' && !has('SLACK_BOT_TOKEN') && !has('SLACK_APP_TOKEN') && !has('SLACK_API_URL'),
      'SLACK_BOT_TOKEN is missing: the bot alone needs a Slack workspace (npm start runs all parts together)',
    ],
    [
      part === 'bot' && !has('INCIDENTS_BASE_URL') && !has('INCIDENTS_API_KEY'),
      'INCIDENTS_BASE_URL and INCIDENTS_API_KEY are missing: the bot alone needs an incident service (npm start runs all parts together)',
    ],
    [
      has('OIDC_ISSUER') && !(has('OIDC_CLIENT_ID') && has('OIDC_CLIENT_SECRET')),
      'OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are needed: OIDC_ISSUER is set; set all three, or none',
    ],
    [
      !has('OIDC_ISSUER') && OPENID_SETTINGS.some(has),
      'OIDC_ISSUER is missing: other settings of OIDC are set; set it to the address of the provider',
    ],
    [
      has('OIDC_ISSUER') && !(has('OIDC_VIEWERS') || has('OIDC_RESPONDERS') || has('OIDC_ADMINS')),
      'OIDC_VIEWERS, OIDC_RESPONDERS and OIDC_ADMINS are missing: without one of them nobody could sign in by OIDC_ISSUER',
    ],
  ];
  return rules.filter(([isWrong]) => isWrong).map(([, sentence]) => sentence);
}
