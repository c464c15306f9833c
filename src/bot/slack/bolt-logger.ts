import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import type { Logger } from 'pino';

/** What may never be in a log line, wherever Bolt has put it: tokens, addresses to answer to, modal triggers. */
const SECRETS =
  /xox[a-z]-[\w-]+|xapp-[\w-]+|https?:\/\/[^\s"'\\]*\/(?:commands|actions|services|respond)[^\s"'\\]*|wss?:\/\/[^\s"'\\]+/gi;

/**
 * Bolt's logger over ours. Its debug lines hold whole payloads (what people typed, trigger ids, addresses to answer to),
 * so they are dropped; `setLevel` is ignored, since the level is ours to choose.
 */
export function createBoltLogger(logger: Logger): BoltLogger {
  return {
    debug() {},
    info: (...parts: unknown[]) => logger.debug({ slack: describe(parts) }, 'slack library'),
    warn: (...parts: unknown[]) => logger.warn({ slack: describe(parts) }, 'slack library warns'),
    error: (...parts: unknown[]) => logger.error({ slack: describe(parts) }, 'slack library reports an error'),
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
