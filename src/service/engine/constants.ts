/**
 * Upper bounds of what the engine remembers, so that no sender can fill its memory. Beyond them the oldest or the rarest entries are
 * forgotten. They are decisions, not measurements: several times what the largest known systems have. The total is bounded by
 * `fitBudget`.
 */
export const LIMITS = {
  /** Services. */
  services: 5_000,
  /** Senders, places and alerts, each with a state of its own. */
  entries: 10_000,
  /** Operations, calls, series and other names that telemetry gives. */
  names: 20_000,
  /** Findings by fingerprint, and traces that were judged. */
  fingerprints: 50_000,
  /** Spans and lines that were seen, to recognise those that are sent again. */
  seen: 100_000,
  /** Spans and lines of traces that are not complete. */
  pending: 200_000,
  /** Values, instances or runs of one place. */
  perPlace: 50,
  /** Kinds of steps and lines of one operation. */
  features: 64,
  /** Senders of one signal, and services and incidents that are looked at together. */
  many: 100,
  /** Incidents, and the parts that one may have. */
  incidents: 1_000,
  /** What is kept of one episode, incident or signal. */
  few: 20,
} as const;

/** The window in which judging counts. What was found longer ago does not happen any more. */
export const MINUTE_MS = 60_000;
/** What was not seen for a day is not used any more. */
export const DAY_MS = 86_400_000;
/** Longest silence inside one failure. What comes after it is another, or comes back. */
export const GAP_MS = 2 * MINUTE_MS;
/** What is odd for longer becomes usual. */
export const NEW_USUAL_MS = 30 * MINUTE_MS;
/** Counts of looks are halved beyond so many, because places change. */
export const MOST_LOOKS = 6_000;
/** Fewer runs say little about a share. */
export const LEAST_RUNS = 10;
/** Fewer answers may be chance. */
export const LEAST_ANSWERS = 3;
/** What is less is the smaller part. */
export const HALF = 0.5;
/** A smaller share is an exception, as of spans whose parent was lost. */
export const SMALL_SHARE = 0.05;
/** A smaller share is as good as none. */
export const TINY_SHARE = 0.01;
