import { MAIN_SYSTEM } from '../../contract/system.ts';
import type { ObservedSignal, Sightings } from './signal.ts';

/** One sighting at `at`. */
export function seenOnce(at: Date): Sightings & { readonly observedAt: Date } {
  return { observedAt: at, lastSeenAt: at, endedAt: null, occurrences: 1 };
}

/** The sum of two equal signals' sightings. An end counts only if the failure was not seen after it. */
export function addSightings(one: Sightings, other: Sightings): Sightings {
  const lastSeenAt = later(one.lastSeenAt, other.lastSeenAt);
  const endedAt = later(one.endedAt ?? NEVER, other.endedAt ?? NEVER);
  return {
    occurrences: one.occurrences + other.occurrences,
    lastSeenAt,
    endedAt: endedAt > NEVER && endedAt >= lastSeenAt ? endedAt : null,
  };
}

const NEVER = new Date(0);

function later(one: Date, other: Date): Date {
  return other > one ? other : one;
}

/** Equal for signals that fold into one. */
export function foldKeyOf({
  fingerprint,
  system = MAIN_SYSTEM,
}: Pick<ObservedSignal, 'fingerprint' | 'system'>): string {
  return `${system} ${fingerprint}`;
}

/** Folds equal signals. The text and attributes of the earliest one are kept. */
export function foldSignals(signals: readonly ObservedSignal[]): ObservedSignal[] {
  const folded = new Map<string, ObservedSignal>();
  for (const signal of signals) {
    const key = foldKeyOf(signal);
    const equal = folded.get(key);
    folded.set(key, equal === undefined ? signal : fold(equal, signal));
  }
  return [...folded.values()];
}

function fold(one: ObservedSignal, other: ObservedSignal): ObservedSignal {
  const earliest = other.observedAt < one.observedAt ? other : one;
  return { ...earliest, ...addSightings(one, other) };
}
