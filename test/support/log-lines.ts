import { type Logger, pino } from 'pino';

/** A logger of all levels, and its lines of JSON. */
export function createLogLines(): { readonly logger: Logger; readonly lines: readonly string[] } {
  const lines: string[] = [];
  return { logger: pino({ level: 'trace' }, { write: (line) => void lines.push(line) }), lines };
}
