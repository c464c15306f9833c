import type { Evidence } from '../../core/evidence.ts';
import { senderKey, setBounded } from '../bounded-map.ts';
import { LIMITS, NEW_USUAL_MS } from '../constants.ts';
import { LINES } from '../evidence.ts';
import { confirm } from './confirmations.ts';
import { LEAST_BUSY_SLOTS, RECENT_SLOTS, SLOT_MS, WINDOW_SLOTS } from './constants.ts';
import { isYoungAt, originOf, toEvidence } from './found-evidence.ts';
import { judgeWatch } from './judge-watch.ts';
import type { JudgingState } from './judging-state.ts';
import { createTally, isErrorLine, merge, type Tally, type Watch, withoutFailures } from './tally.ts';

/** Judges what is counted about one subject in the sliding window, and learns what has left the window. */
export function judgeWindow(state: JudgingState, watch: Watch, slot: number, at: number, quiet: boolean): Evidence[] {
  for (const [past, tally] of watch.slots) {
    if (past <= slot - WINDOW_SLOTS) {
      watch.slots.delete(past);
      if (isUsual(watch, past, slot)) {
        learnTally(state, watch, quiet ? tally : withoutFailures(tally));
      }
    }
  }
  const now = createTally();
  const recent = createTally();
  // Leaves out items of later slots, which have come already.
  const slots = new Map([...watch.slots].filter(([past]) => past <= slot));
  for (const [past, tally] of slots) {
    merge(now, tally);
    if (past > slot - RECENT_SLOTS) {
      merge(recent, tally);
    }
  }
  if (now.total === 0) {
    watch.oddSince = null;
    return [];
  }
  const present = { now, recent, slots, slot: slots.get(slot) ?? null };
  const findings = judgeWatch(watch, present, (feature) => isKnownError(state, watch, feature));
  watch.oddSince = findings.length === 0 ? null : (watch.oddSince ?? slot);
  watch.oddUntil = findings.length === 0 ? watch.oddUntil : slot;
  watch.looks += quiet ? 1 : 0;
  const isActive = watch.slots.has(slot);
  watch.firstSlot ??= slot;
  // Every slot counts for log lines: a service that writes only errors is silent in the others.
  watch.active = watch.kind === 'lines' ? slot - watch.firstSlot + 1 : watch.active + (isActive ? 1 : 0);
  const significance = confirmLines(state, { ...watch, slots }, slot, at, quiet);
  return findings.map(({ isNew = isActive, ...finding }) => {
    const confirmed = LINES.has(finding.family) ? (significance.get(finding.subject) ?? 0) : null;
    return toEvidence(state, finding, { ...watch, instance: null }, originOf(finding), at, quiet, isNew, confirmed);
  });
}

/**
 * Only lines that no failed request explains are tested: requests are tested once, their lines would be once for each
 * text and service, and each test has false alarms.
 *
 * @returns significance that an error line is above its baseline rate, by the text of the line
 */
function confirmLines(
  state: JudgingState,
  watch: Watch,
  slot: number,
  at: number,
  isQuiet: boolean,
): Map<string, number> {
  const { sender, service, kind, subject, active, usual, slots } = watch;
  const lines = errorLinesOf([...slots.values()]);
  if (lines.size === 0) {
    return new Map();
  }
  const isYoung = isYoungAt(state, watch, at);
  const about = { sender, family: 'error_log', at, looks: active, isQuiet, isYoung } as const;
  const among = new Set([...lines, ...errorLinesOf([usual])]).size;
  return new Map(
    [...lines].map((line) => {
      const lineOf = [kind, service, subject, line].join('|');
      const isNew = slots.get(slot)?.unexplained.has(line) === true;
      const significance = confirm(state.confirmations, { ...about, subject: lineOf, isNew, among });
      return [line.slice(line.indexOf(' ') + 1), significance];
    }),
  );
}

function errorLinesOf(tallies: readonly Tally[]): Set<string> {
  return new Set(tallies.flatMap(({ features }) => [...features.keys()].filter(isErrorLine)));
}

/** Whether a slot that left the window belongs to the baseline: it was not odd, or is odd for half an hour. */
function isUsual({ oddSince, oddUntil }: Watch, past: number, slot: number): boolean {
  return past > oddUntil || (oddSince !== null && (slot - oddSince) * SLOT_MS > NEW_USUAL_MS);
}

/** Every error counts as known in the first two minutes, while there is no baseline. */
function isKnownError({ knownErrors, busySlots }: JudgingState, { sender }: Watch, feature: string): boolean {
  return knownErrors.has(senderKey(sender, feature)) || busySlots < LEAST_BUSY_SLOTS;
}

/** Adds a tally to the baseline. Its error lines are known from then on, at every service of the sender. */
export function learnTally(state: JudgingState, watch: Watch, tally: Tally): void {
  merge(watch.usual, tally);
  for (const feature of tally.features.keys()) {
    if (isErrorLine(feature)) {
      setBounded(state.knownErrors, senderKey(watch.sender, feature), true, LIMITS.fingerprints);
    }
  }
}
