/** Longest silence inside one incident, in milliseconds. A failure that comes after it opens the next incident. */
export const GAP_MS = 2 * 60_000;

/** While an incident is this young, in milliseconds, callees of its root may still turn out to be the root. */
export const SETTLE_MS = 2 * 60_000;

/** How long a closed incident absorbs a failure that goes on, in milliseconds. */
export const COOLDOWN_MS = 10 * 60_000;
