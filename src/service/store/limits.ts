/** How long a signal that belongs to no incident is considered for one, after it arrived. */
export const WAITING_MINUTES = 5;

/** How long a closed incident still takes signals of its root, instead of a new incident opening. */
export const COOLDOWN_MINUTES = 10;

/** How long a call from one service to another counts as a connection between them. */
export const CALL_MEMORY_DAYS = 7;

/** How many signals may wait for the transaction that runs; more are refused, to be sent again. */
export const MAX_QUEUED_SIGNALS = 20_000;

/** How often an incident whose signals are seen again is explained anew, and how many of them at once. */
export const EXPLAIN_AGAIN_SECONDS = 1;
export const MAX_EXPLAINED_AGAIN = 50;

/** How many waiting signals are correlated at once, the longest waiting first. */
export const MAX_WAITING_SIGNALS = 20_000;
