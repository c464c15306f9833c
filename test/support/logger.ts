import { type Logger, pino } from 'pino';

/** For parts whose log a test does not read. */
export const silentLogger: Logger = pino({ level: 'silent' });
