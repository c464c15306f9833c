import type { SessionSettings } from './session.ts';

/**
 * What connections are for. Each purpose has connections of its own in each schema, so that none waits for another's:
 * `work` for short statements of requests and loops, `intake` for what senders wait for, `correlation` for its long
 * transactions, `waking` for what wakes people, which must not wait for requests nor they for it, `upkeep` for what deletes
 * much, `reading` for lists and searches.
 */
export type Purpose = 'work' | 'intake' | 'correlation' | 'waking' | 'upkeep' | 'reading';

export interface PurposeLimits {
  /** Maximum number of connections per process. */
  readonly max: number;
  /** Timeout of a statement on the server, including its waits for locks. */
  readonly statementMs: number;
  readonly settings: SessionSettings;
}

/** How much longer the client waits than the server's statement timeout, in case the server hangs. */
export const GRACE_MS = 2_000;
/** How long a caller waits for a connection. */
export const WAIT_MS = 5_000;

/** Turns parallel plans off, because a search on several processors would leave none for the intake. */
const ON_ONE_PROCESSOR = { max_parallel_workers_per_gather: '0' };

/**
 * Its statements find a few rows by what identifies them. The planner knows their tables from quiet times, in which they are
 * almost empty, and would read them whole in the minute in which everybody is woken.
 */
const BY_INDEX = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' };

export const PURPOSES: Readonly<Record<Purpose, PurposeLimits>> = {
  work: { max: 10, statementMs: 10_000, settings: {} },
  intake: { max: 2, statementMs: 20_000, settings: {} },
  correlation: { max: 2, statementMs: 30_000, settings: {} },
  waking: { max: 6, statementMs: 10_000, settings: BY_INDEX },
  upkeep: { max: 2, statementMs: 60_000, settings: {} },
  reading: { max: 3, statementMs: 5_000, settings: ON_ONE_PROCESSOR },
};

/** The settings of a session: where its tables are, and how long it may take. */
export function settingsOf(schema: string, { settings }: PurposeLimits, statementMs: number): SessionSettings {
  return {
    search_path: schema,
    statement_timeout: String(statementMs),
    idle_in_transaction_session_timeout: '60000',
    ...settings,
  };
}
