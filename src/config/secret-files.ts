import { readFileSync } from 'node:fs';

/** Settings that are secrets. `<NAME>_FILE` names a file with the value, as orchestrators mount secrets. */
export const SECRET_SETTINGS = [
  'BOOTSTRAP_API_KEY',
  'DATABASE_DIRECT_URL',
  'DATABASE_READ_URL',
  'DATABASE_URL',
  'INCIDENTS_API_KEY',
  'NATS_URL',
  'NTFY_TOKEN',
  'OIDC_CLIENT_SECRET',
  'PUSHOVER_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_BOT_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SMTP_URL',
  'SYSLOG_KEY',
  'TWILIO_AUTH_TOKEN',
] as const;

type Environment = Readonly<Record<string, string>>;

/**
 * Replaces `<NAME>_FILE` by the content of the file, without the line break at its end.
 *
 * @param faults gets a sentence for each file that cannot be used
 */
export function readSecretFiles(given: Environment, faults: string[]): Environment {
  const read = SECRET_SETTINGS.flatMap((name): [string, string][] => {
    const path = given[`${name}_FILE`];
    if (path === undefined) {
      return [];
    }
    if (given[name] !== undefined) {
      faults.push(`${name} and ${name}_FILE are both set: set one of them`);
      return [];
    }
    try {
      return [[name, readFileSync(path, 'utf8').replace(/\r?\n$/, '')]];
    } catch {
      faults.push(`${name}_FILE names a file that cannot be read: check its path and its permissions`);
      return [];
    }
  });
  return { ...given, ...Object.fromEntries(read) };
}
