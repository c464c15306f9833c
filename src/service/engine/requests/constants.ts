/**
 * The constants of requests. How long traces are waited for is a decision between speed and late spans; the definition of slow is
 * people's. The others bound what is learnt of calls, and were chosen in the laboratory.
 */

/**
 * A time is much longer if it exceeds 1.5 times the 95th percentile, twice the median, and the median plus 50 ms: half of the
 * delay that people notice (Nielsen, Usability Engineering, 1993).
 */
export const MUCH = { ofHigh: 1.5, ofMedian: 2, ms: 50 };
/** With fewer samples, the baseline of the service counts as well. */
export const LEAST_SAMPLES = 30;
/** Counts are halved beyond so many samples. */
export const MOST_SAMPLES = 20_000;
/** Quantiles are computed again once there are a tenth more samples: fewer hardly move them. */
export const STALE_SHARE = 1.1;
/** A place is blamed for a slow request if it explains this share of what is too much. */
export const LEAST_EXPLAINED = 0.4;
/** If a callee worked for this share of a call until its caller gave up, the callee was slow, not the network. */
export const ALL_THE_TIME = 0.9;
/** Weight of what is known with each new answer: about the last 50, 100 and 200 count. */
export const FADE = 0.98;
export const FADE_ENTRIES = 0.99;
export const FADE_LATENESS = 0.995;
/** Longest wait for the rest of a trace after its entry or its last span has come. */
export const WAIT_SLOTS = 2;
/** A trace that keeps growing is judged after this many slots. */
export const LONGEST_SLOTS = 9;
/** A slot has no more than about as many spans, whatever comes: the rest is judged in the next one. */
export const MAX_SPANS_OF_SLOT = 100_000;
/** Spans that are kept of a trace, see `importanceOf`. */
export const MAX_SPANS_OF_TRACE = 2_000;
/** Lines wait this many slots for their span. */
export const LOST_SLOTS = 4;
/** Of a hash in base64, which is 72 bits: among 100,000 lines, two are taken for one once in 10^12 times. */
export const HASH_CHARACTERS = 12;
/** Times are rounded to milliseconds. */
export const CLOCK_MS = 1;
/** A call that is shorter than its answer by less than this, or half of it, may have waited for it. */
export const LEAST_MS = 5;
