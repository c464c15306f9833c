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
