/**
 * The one limit of every wait. It is longer than anything takes on the busiest machine: it ends what hangs, and asserts
 * nothing.
 */
export const HANG_MS = 150_000;
