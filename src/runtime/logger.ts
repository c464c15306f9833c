import { type Logger, pino } from 'pino';

/**
 * Logs JSON lines to standard error, so that standard output has only text for people. Secrets must not be logged at
 * all; `redact` is a second line of defence.
 */
export function createLogger(level: string): Logger {
  const secrets = ['token', 'authorization', 'apiKey', 'signingSecret', 'password'];
  return pino(
    { level, redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' } },
    pino.destination({ fd: 2, sync: true }),
  );
}
