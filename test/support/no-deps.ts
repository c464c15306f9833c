import type { FeatureDeps } from '../../src/bot/features.ts';

/** For tests that look at which listeners there are, and call none. */
export const NO_DEPS = { store: {} } as FeatureDeps;
