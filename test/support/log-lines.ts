import { type Logger, pino } from 'pino';

/** A logger of everything, and what it wrote: one JSON text a line. */
export function createLogLines(): { readonly logger: Logger; readonly lines: readonly string[] } {
  const lines: string[] = [];
  return { logger: pino({ level: 'trace' }, { write: (line) => void lines.push(line) }), lines };
}
