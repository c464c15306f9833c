/**
 * The constants of the accounts. False alarms, thresholds and prior odds are decisions about how sure the engine has to be; the
 * thresholds follow from them by Page's theorem (CUSUM, 1954). The others bound what is learnt, and were chosen in the laboratory on
 * systems other than those that docs/engine.md measures.
 */

/** Decision: mean time between false alarms of one place, 2,000 hours. */
export const FALSE_ALARM_MS = 2_000 * 3_600_000;
/** Decision: mean time between false ends while a fault lasts. */
export const FALSE_END_MS = 30 * 60_000;
/** A stream tests four sums at once, which raises the threshold. */
export const TRIALS = Math.log(4);
/** The threshold of places with so few requests that theirs would be lower: odds of 160,000 to 1. */
export const LEAST_THRESHOLD = 12;
/** Added to the threshold of episodes without harm, which can wait for more certainty. */
export const HARMLESS = 5;
/** A new place opens after this many failures if none of its requests was well. */
export const NEVER_WELL = 3;
/** An open fault ends after this long without a lost request, and a changed sampling becomes usual. */
export const FORGOTTEN_MS = 10 * 60_000;
/** Log-likelihood ratio of an end, reached after a few good requests. */
export const LITTLE = 1.5;
/** A fault that loses few requests pauses longer. Less than one pause in a hundred is this many times the mean (e^-5). */
export const BEYOND_PAUSES = 5;
/** A verdict needs this significance to be evidence about other places. */
export const LEAST_TELLING = 0.6;
/** Fewer requests, lost at a place or served well by other instances, may be chance. */
export const LEAST_REQUESTS = 4;
/** An instance is blamed if it loses this share of the lost requests while others serve theirs well. */
export const MOST_OF_INSTANCE = 0.8;
/** Upper bound of the sums. */
export const MOST_SUM = 60;
/** A fault that differs by less from what is usual cannot be distinguished from it, unless it is twice as much. */
export const NEARLY = 0.05;
/** Lower bound of the threshold for an end: odds of 150 to 1. */
export const LEAST_OVER = 5;
/** A share that is taken for the usual one weighs as much as so many looks. */
export const LEAST_TAKEN = 500;
/** This many looks without a mark end any episode, so further ones are not tested. */
export const MOST_SINGLE = 2_000;
/** What a pool assumes before it has seen anything: marks among looks, and marks that follow a mark. */
export const PRIOR = { hits: 0.4, looks: 100 };
export const PRIOR_NEXT = { same: 0.9, other: 0.9, looks: 6 };
/** How many looks the pool weighs in the baseline of a place: of all looks, and of those that follow a mark. */
export const POOL_FIRST = 100;
export const POOL_NEXT = 4;
/**
 * Lower bound for the marks that the pool adds. However rare marks are elsewhere, a place with none in n looks may have
 * one in 20n.
 */
export const LEAST_POOLED = 0.05;
/**
 * Upper bound for the runs that the pool expects of a place. Outages of others are long runs too, and must not hide the
 * next outage of a place that never had any.
 */
export const MOST_POOLED_NEXT = 0.5;
export const MOST_NEXT = 300;
export const MOST_POOLED = 20_000;
/** Share of the lost requests, or of their late answers, that must agree. */
export const MOSTLY = 0.75;
/** A callee that answered anybody within this time before the last loss is not down. */
export const GONE_MS = 10_000;
/** Odds of 10 to 1: what each late answer says for its cause, and what each place must say for a host or zone. */
export const SHOWS = Math.log(10);
/** At most this share of the requests that a place loses may be counted at its callers because its spans got lost. */
export const LOST_SPANS = 0.2;
export const LATE_SHARE = 0.25;
/** Losses that begin within this time of each other may have one cause. */
export const AT_ONCE_MS = 90_000;
/** Prior odds of 1,000 to 1 that places that begin to lose requests at once have one cause instead of a fault each. */
export const ONE_FAULT = Math.log(1_000);
/** Prior odds of 100 to 1 for a cause that is known to lose requests against one that is not. */
export const KNOWN_LOSS = Math.log(100);
/** Prior: without the cause, one request in this many is lost. */
export const RARELY = 20;
/** Bounds of the usual share of runs that call a callee: 0.2 % and 99.8 %. */
export const CHANCE = 0.002;
/** Runs of an operation beyond this many tell nothing more. */
export const MAX_RUNS = 1_000;
/** The weight of a request falls to 1/e in this time. */
export const FADE_MS = 20 * 60_000;
/** Log-likelihood ratio from which fewer or more requests than usual are no chance: odds of 3,000 to 1. */
export const BEYOND_CHANCE = 8;
/** Requests with late spans count as if they were at most this old. */
export const WAIT_MS = 15_000;
/**
 * Good requests of the present and of the last period are kept, so that there are some of before a failure. During an
 * episode, the period goes on.
 */
export const PERIOD_MS = 5 * 60_000;
/** Least difference of the shares among lost and among good requests. */
export const LEAST_DIFFERENCE = 0.1;
/** Least z of the test of two proportions. By chance, one value in 30,000 has it; some hundred are tested. */
export const LEAST_Z = 4;
/** Differences that people are shown. */
export const MAX_DIFFERENCES = 5;
/**
 * Requests like the taught ones are tested in an account of their own, against this multiple of the taught share. All
 * others are tested as if nothing had been taught.
 */
export const ALLOWED = 1.5;
/** Upper bound of the allowed share, so that a run of failures always opens an incident, whatever was taught. */
export const MOST_ALLOWED = 0.3;
/** A request that lost this many times more time than the taught ones did is not like them. */
export const MUCH_LONGER = 3;
