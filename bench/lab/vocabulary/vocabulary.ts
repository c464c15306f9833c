import { HELD_VOCABULARY } from './held.ts';
import { OPEN_VOCABULARY } from './open.ts';

/** The words that a system's names and lines are made of. */
export interface Vocabulary {
  readonly syllables: readonly string[];
  /** What services are about. */
  readonly nouns: readonly string[];
  readonly verbs: readonly string[];
  /** Parts of service names: `-svc`, `_api`. An empty one is a bare name. */
  readonly suffixes: readonly string[];
  readonly vendors: readonly string[];
  readonly databases: readonly string[];
  readonly caches: readonly string[];
  readonly queues: readonly string[];
  /** Lines for requests that were served. `{op}` is the operation, `{n}` a number. */
  readonly infoLines: readonly string[];
  /** Lines that are written all the time and mean nothing. */
  readonly idleErrors: readonly string[];
  readonly errorLines: readonly string[];
}

/** The systems that constants may be tuned on, and those that nobody tunes on. */
export type Family = 'open' | 'held';

export function vocabularyOf(family: Family): Vocabulary {
  return family === 'held' ? HELD_VOCABULARY : OPEN_VOCABULARY;
}
