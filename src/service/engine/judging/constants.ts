/**
 * The constants of judging. The lengths of slots, windows and stops are decisions: how soon people want to know. Thresholds are those of
 * the tests named with them. The others were chosen on the recordings and in the laboratory (docs/engine.md, "How well it does").
 */

/** Time goes in slots of this length: what came in one is judged at its end. */
export const SLOT_MS = 5_000;
/** Counts are halved beyond this total, so that old traffic does not outweigh what becomes normal later. */
export const MOST_USUAL = 50_000;
/** Features of one run that are counted in pairs, since pairs are many, and pairs of one operation. */
export const MAX_PAIRED = 16;
export const MAX_PAIRS = 400;
/** Length of the sliding window (one minute): long enough to measure a share, short enough to react. */
export const WINDOW_SLOTS = 12;
/** A failure that is absent from the last 20 seconds is over, even if the window still contains it. */
export const RECENT_SLOTS = 4;
/** In its first two minutes, every error line of a sender counts as known. */
export const LEAST_BUSY_SLOTS = 24;
/** A service has no baseline until this many slots (five minutes) after its sender first reported it. */
export const YOUNG_SLOTS = 60;
/** Threshold of the G statistic (`shareDifference`). Chance exceeds it once in 2,000 looks. */
export const LEAST_DIFFERENCE = 12;
/** Fewer observations make no baseline. */
export const LEAST_USUAL = 20;
/** Fewer observations in a window, or expected runs, say nothing; two are enough if nothing happened in them. */
export const LEAST_NOW = 5;
export const LEAST_CLEAN = 2;
/** Before there is a baseline, failures and error lines are assumed to happen once in 20. */
export const PRIOR = { hits: 1, total: 20 };
/** A step or log line that this share of the baseline runs had is expected of every run. */
export const EXPECTED_SHARE = 0.95;
/** A smaller slowdown, by ratio or by time, is scheduler noise. */
export const LEAST_SLOWER = { ratio: 1.5, ms: 2 };
/** Extra time that people notice. */
export const NOTABLE_MS = 20;
/** Quantiles of the baseline times. The present times above each are counted. */
export const CUTS = [0.5, 0.8, 0.95];
/** A deviation is over when less than this share of it is left in the last 20 seconds. */
export const OVER = 0.3;
/** Without a baseline, a single failure or line has half the strength of so many. */
export const ENOUGH_HITS = 2;
/** A line or step has stopped if less than this share of its usual is left. Overloaded pipelines lose less than the rest. */
export const LEFT = 0.7;
/** CUSUM threshold: at least exp(10) looks of 5 s pass between two false alarms at a place, which is more than a day. */
export const THRESHOLD = 10;
/** Whatever a young service shows within so many looks (a minute), it may always have. */
export const LEAST_LOOKS = 12;
/** Standard deviations by which the share of looks with a line may be higher than it was. */
export const DEVIATIONS = 2;
/** Lower bound for the number of looks in the rate, because fewer say little about the baseline. */
export const LEAST_RATED = 100;
/** Rate in quiet time, per look, at which the rarity is 0.5. */
export const HALF_WORTH = 0.01;
/** Rates of alerts are measured in windows of this length. Only windows in which some alert fired are counted. */
export const ALERT_WINDOW_MS = 600_000;
/** Fewer samples make no baseline. */
export const LEAST_SAMPLES = 8;
/** Counts are halved beyond so many samples. */
export const MOST_SAMPLES = 4_000;
/**
 * A sample is odd from this multiple of the baseline's 98th percentile on; traffic, below its 2nd divided by twice
 * this.
 */
export const ODD_RATIO = 1.5;
/** Ratio to the bound of the baseline at which the strength reaches 1. */
export const EXTREME_RATIO = 8;
/** A longer time between two samples is no interval of reporting: the sender was away. */
export const LONGEST_INTERVAL_MS = 10 * 60_000;
/** Odd samples in a row that make a finding. A single one is a blip. */
export const LEAST_RUN = 2;
/** After this many odd samples in a row, the new level becomes the baseline. */
export const NEW_USUAL_RUN = 240;
/** Pseudo-measurements without a failure that are added to a share: one failed request of one is no outage. */
export const DOUBTED_REQUESTS = 2;
/** Standard deviations of a number of failures that are taken for chance: with more than one, a single failure is. */
export const CHANCE = 1.5;
/** This many samples after an unusual one, a metric shows that its service works again. */
export const TELLING_RUN = 3;
/** Lowest significance of a verdict that is not open. Below it, the verdict is noise. */
export const LEAST_SIGNIFICANCE = 0.25;
/** What is known for less time is new: where requests come in, and a sender that takes over from another. */
export const LEAST_KNOWN_MS = 15 * 60_000;
/** How long a request counts in the rate at which requests come in. */
export const FADE_MS = 5 * 60_000;
/** Fewer tell too little about how often requests come. */
export const LEAST_REQUESTS = 100;
/** Requests that should have come since the last one: chance leaves out fewer, even in bursts. */
export const LEAST_MISSING = 30;
/** A shorter stop may be a restart. */
export const LEAST_STOP_MS = 2 * 60_000;
/** Where a stop could only be told after longer, it is not looked for. */
export const LONGEST_STOP_MS = 30 * 60_000;
/** A stop lasts so many times as long as the longest gap, and longer where gaps are no chance because requests come at times only. */
export const BEYOND_GAPS = 3;
export const BEYOND_PAUSES = 10;
/** Characters of a line that are read, kept as its text without variable parts, and shown to people. */
export const READ_TEXT = 600;
export const KEPT_LINE = 250;
export const KEPT_TEXT = 200;
/** Characters that are always kept. After them, the first colon or equals sign ends the statement: values follow it. */
export const LEAST_STATEMENT = 32;
