import { type Logger, pino } from 'pino';

/**
 * JSON lines on standard error, so that standard output is left to what a person should read.
 * `redact` is a net under the rule that no secret is handed to the logger at all.
 */
export function createLogger(level: string): Logger {
  const secrets = ['token', 'authorization', 'apiKey', 'signingSecret', 'password'];
  return pino(
    { level, redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' } },
    pino.destination({ fd: 2, sync: true }),
  );
}
