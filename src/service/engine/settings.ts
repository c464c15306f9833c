export interface EngineSettings {
  /** Longest silence inside one incident; what fails after it opens the next. */
  readonly gapMs: number;
  /** While an incident is this young, callees of its root may still turn out to be the root. */
  readonly settleMs: number;
  /** Nothing joins an incident that has been open for longer. */
  readonly maxAgeMs: number;
  /** How long a closed incident absorbs a failure that goes on. */
  readonly cooldownMs: number;
  /** Incidents that may open within a minute for what one sender reports; the rest is one incident. */
  readonly openingsPerMinute: number;
  /** Own score of a service from which it opens an incident. */
  readonly leastScore: number;
  /** Upper bound of the estimated size of the state, in bytes. */
  readonly stateBytes: number;
}

export const DEFAULT_ENGINE_SETTINGS: EngineSettings = {
  gapMs: 2 * 60_000,
  settleMs: 2 * 60_000,
  maxAgeMs: 90 * 60_000,
  cooldownMs: 10 * 60_000,
  openingsPerMinute: 100,
  leastScore: 1,
  stateBytes: 256 * 2 ** 20,
};
