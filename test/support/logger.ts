import { LogLevel, type Logger as SlackLogger } from '@slack/web-api';
import { type Logger, pino } from 'pino';

/** For parts whose log a test does not read. */
export const silentLogger: Logger = pino({ level: 'silent' });

/** The same for a Slack SDK, whose logger has another shape. */
export const silentSlackLogger: SlackLogger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};
