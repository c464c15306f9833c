import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import type { Logger } from 'pino';

/** Matches what must never be logged: tokens, response URLs, trigger ids. */
const SECRETS =
  /xox[a-z]-[\w-]+|xapp-[\w-]+|https?:\/\/[^\s"'\\]*\/(?:commands|actions|services|respond)[^\s"'\\]*|wss?:\/\/[^\s"'\\]+/gi;

/**
 * Adapts the logger for Bolt. Bolt's debug lines contain whole payloads with user input, trigger ids and response URLs,
 * so they are dropped. `setLevel` is ignored.
 */
export function createBoltLogger(logger: Logger): BoltLogger {
  return {
    debug() {},
    info: (...parts: unknown[]) => logger.debug({ slack: describe(parts) }, 'slack library'),
    warn: (...parts: unknown[]) => logger.warn({ slack: describe(parts) }, 'warning from the Slack library'),
    error: (...parts: unknown[]) => logger.error({ slack: describe(parts) }, 'error from the Slack library'),
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  };
}

export function withoutSecrets(text: string): string {
  return text.replace(SECRETS, '[redacted]');
}

function describe(parts: readonly unknown[]): string {
  const words = parts.map((part) => (part instanceof Error ? `${part.name}: ${part.message}` : String(part)));
  return withoutSecrets(words.join(' ')).slice(0, 500);
}
