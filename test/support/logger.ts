import { LogLevel, type Logger as SlackLogger } from '@slack/web-api';
import { type Logger, pino } from 'pino';

/** A logger for tests that do not read the log. */
export const silentLogger: Logger = pino({ level: 'silent' });

/** The same for Slack's SDK, which has another logger interface. */
export const silentSlackLogger: SlackLogger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};
