import type { Evidence, LogItem, TelemetryItem } from '../../core/telemetry-item.ts';
import { judgeAccounts } from '../accounts/accounts.ts';
import { servicesOnTheWay } from '../accounts/episode.ts';
import { type Located, locate } from '../accounts/locus.ts';
import { setBounded } from '../bounded-map.ts';
import { addSpan, addSpanLine } from '../requests/trace-assembly.ts';
import { toAccountEvidence } from './account-evidence.ts';
import { confirm } from './confirmations.ts';
import { countAnswers, countLines, countSpan, featureOf, findFailed, runOf, type SeenCall } from './counting.ts';
import {
  failedFeature,
  isYoungAt,
  LINES,
  observeAlert,
  observeChange,
  observeMetric,
  originOf,
  rememberSignal,
  signalKey,
  toEvidence,
} from './found-evidence.ts';
import type { JudgeState } from './judge-state.ts';
import { judgeTraces } from './judge-traces.ts';
import { judgeWatch } from './judge-watch.ts';
import { createTally, isFailure, merge, SLOT_MS, type Tally, type Watch, withoutFailures } from './tally.ts';

/** Length of the sliding window (one minute): long enough to measure a share, short enough to react. */
const WINDOW_SLOTS = 12;
/** A failure that is absent from the last 20 seconds is over, even if the window still contains it. */
const RECENT_SLOTS = 4;
/** A failure that has just begun shows in the last 10 seconds first. */
const LATEST_SLOTS = 2;
/** After half an hour, an odd state becomes the baseline. */
const NEW_USUAL_SLOTS = 360;

const MAX_SERVICES = 5_000;
const MAX_FINGERPRINTS = 50_000;

export interface Step {
  /** End of the last judged slot. */
  readonly at: number;
  readonly evidence: readonly Evidence[];
  readonly calls: readonly SeenCall[];
  /** Number of requests that went well, by place. It shows which services still answer. */
  readonly answers: ReadonlyMap<string, number>;
  /** Sureness of a fault, by place and by service that waited for the place. From 1 on it is beyond chance. */
  readonly odd: ReadonlyMap<string, number>;
}

/** Whether no failing incident reaches a service. What fires in quiet time is its noise. */
export type IsQuiet = (service: string) => boolean;

/** Takes one item. Spans and log lines are judged by `step`, when their slot is over. */
export function observe(state: JudgeState, item: TelemetryItem, isQuiet: IsQuiet, sender = ''): void {
  const slot = Math.floor(item.at / SLOT_MS);
  if (state.nextSlot === null || (slot > state.nextSlot && isOver(state, state.nextSlot))) {
    state.nextSlot = slot; // skips the silent slots before it
  }
  if (item.kind === 'span' || item.kind === 'log') {
    state.busyUntil = Math.max(state.busyUntil, slot, state.nextSlot);
  }
  if (state.services.size < MAX_SERVICES && !state.services.has(item.service)) {
    state.services.set(item.service, Math.max(slot, state.nextSlot));
  }
  switch (item.kind) {
    case 'span':
      addSpan(state.assembly, item, sender, Math.max(slot, state.nextSlot));
      if (item.signal !== undefined) {
        rememberSignal(state, item.service, failedFeature(item.operation), item.signal);
      }
      return;
    case 'log':
      observeLog(state, item, Math.max(slot, state.nextSlot));
      return;
    case 'metric':
      observeMetric(state, item, isQuiet(item.service));
      return;
    case 'alert':
      observeAlert(state, item, isQuiet(item.service));
      return;
    case 'change':
      observeChange(state, item);
      return;
  }
}

/** Judges every slot that is over by `at`. `onStep` gets each, since its incidents decide what is quiet in the next. */
export function step<Result>(
  state: JudgeState,
  at: number,
  isQuiet: IsQuiet,
  onStep: (judged: Step) => Result,
): Result[] {
  const last = Math.floor(at / SLOT_MS) - 1;
  const results: Result[] = [];
  while (state.nextSlot !== null && state.nextSlot <= last) {
    results.push(onStep(judgeSlot(state, state.nextSlot, isQuiet)));
    state.nextSlot = nextBusySlot(state, last);
  }
  return results;
}

/** Whether everything that was observed before the slot has been judged. */
function isOver({ assembly, busyUntil, found }: JudgeState, nextSlot: number): boolean {
  return nextSlot > busyUntil + WINDOW_SLOTS && assembly.dueBySlot.size === 0 && found.size === 0;
}

/** The next slot with data in a window, a found item or a trace that is due. Skips silent slots. */
function nextBusySlot({ nextSlot, found, watches, assembly }: JudgeState, last: number): number {
  const next = (nextSlot ?? 0) + 1;
  let busy = Math.max(next, last);
  for (const { at } of found.values()) {
    busy = Math.min(busy, Math.floor(at / SLOT_MS));
  }
  for (const due of assembly.dueBySlot.keys()) {
    busy = Math.min(busy, due);
  }
  for (const { slots } of watches.values()) {
    for (const slot of slots.keys()) {
      busy = Math.min(busy, slot);
    }
    if (busy <= next) {
      return next;
    }
  }
  return Math.max(next, busy);
}

function judgeSlot(state: JudgeState, slot: number, isQuiet: IsQuiet): Step {
  const { spans, requests, lostLines } = judgeTraces(state, slot);
  state.busySlots += spans.length > 0 ? 1 : 0;
  const calls = new Map<string, SeenCall>();
  const failed = findFailed(spans);
  for (const assembled of spans) {
    countSpan(state, assembled, slot, calls, !failed.has(runOf(assembled.span)));
  }
  for (const { service, feature, slot: writtenIn, lines } of lostLines) {
    countLines(state, service, feature, writtenIn, lines);
  }
  const at = (slot + 1) * SLOT_MS;
  const evidence = takeFoundBefore(state, at);
  const located = locate(judgeAccounts(state.accounts, at));
  const odd = findOdd(located);
  for (const found of toAccountEvidence(state, located, at)) {
    evidence.set(found.fingerprint, found);
  }
  for (const watch of state.watches.values()) {
    if (watch.slots.size > 0) {
      for (const found of judgeNow(state, watch, slot, at, isQuiet)) {
        evidence.set(found.fingerprint, found);
      }
    }
  }
  return { at, evidence: [...evidence.values()], calls: [...calls.values()], answers: countAnswers(requests), odd };
}

/** Takes out the metrics, alerts and changes up to a time. */
function takeFoundBefore({ found }: JudgeState, at: number): Map<string, Evidence> {
  const taken = new Map([...found].filter(([, evidence]) => evidence.at < at));
  for (const fingerprint of taken.keys()) {
    found.delete(fingerprint);
  }
  return taken;
}

/** Sureness of a fault, by place and by service that waited for the place. */
function findOdd(located: readonly Located[]): Map<string, number> {
  const odd = new Map<string, number>();
  for (const { place, sureness, verdict } of located) {
    for (const service of [place, ...servicesOnTheWay(verdict.episode)]) {
      odd.set(service, Math.max(odd.get(service) ?? 0, sureness));
    }
  }
  return odd;
}

function judgeNow(state: JudgeState, watch: Watch, slot: number, at: number, isQuiet: IsQuiet): Evidence[] {
  const quiet = isQuiet(watch.service);
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
  const latest = createTally();
  // Leaves out items of later slots, which have come already.
  const slots = new Map([...watch.slots].filter(([past]) => past <= slot));
  for (const [past, tally] of slots) {
    merge(now, tally);
    if (past > slot - RECENT_SLOTS) {
      merge(recent, tally);
    }
    if (past > slot - LATEST_SLOTS) {
      merge(latest, tally);
    }
  }
  if (now.total === 0) {
    watch.oddSince = null;
    return [];
  }
  const findings = judgeWatch(watch, { now, recent, latest, slots }, (feature) => isKnownError(state, feature));
  watch.oddSince = findings.length === 0 ? null : (watch.oddSince ?? slot);
  watch.oddUntil = findings.length === 0 ? watch.oddUntil : slot;
  watch.looks += quiet ? 1 : 0;
  const isActive = watch.slots.has(slot);
  watch.firstSlot ??= slot;
  // Every slot counts for log lines: a service that writes only errors is silent in the others.
  watch.active = watch.kind === 'lines' ? slot - watch.firstSlot + 1 : watch.active + (isActive ? 1 : 0);
  const sureness = confirmLines(state, { ...watch, slots }, slot, at, quiet);
  return findings.map((finding) => {
    const isNew = isActive && (finding.seenAt === undefined || finding.seenAt >= slot * SLOT_MS);
    const confirmed = LINES.has(finding.family) ? (sureness.get(finding.subject) ?? 0) : null;
    return toEvidence(state, finding, { ...watch, instance: null }, originOf(finding), at, quiet, isNew, confirmed);
  });
}

/** @returns sureness that an error line is above its baseline rate, by the text of the line */
function confirmLines(
  state: JudgeState,
  watch: Watch,
  slot: number,
  at: number,
  isQuiet: boolean,
): Map<string, number> {
  const sureness = new Map<string, number>();
  const { service, kind, subject, active } = watch;
  for (const past of watch.slots.values()) {
    for (const feature of past.features.keys()) {
      if (feature !== 'failed' && isFailure(feature)) {
        const fingerprint = [kind, service, subject, feature].join('|');
        const isNew = watch.slots.get(slot)?.features.has(feature) === true;
        const isYoung = isYoungAt(state, service, at);
        const sighting = { fingerprint, family: 'error_log', at, looks: active, isNew, isQuiet, isYoung } as const;
        sureness.set(feature.slice(feature.indexOf(' ') + 1), confirm(state.confirmations, sighting));
      }
    }
  }
  return sureness;
}

/** Whether a slot that left the window belongs to the baseline: it was not odd, or is odd for half an hour. */
function isUsual({ oddSince, oddUntil }: Watch, past: number, slot: number): boolean {
  return past > oddUntil || (oddSince !== null && slot - oddSince > NEW_USUAL_SLOTS);
}

/** Every error counts as known in the first two minutes, while there is no baseline. */
function isKnownError({ knownErrors, busySlots }: JudgeState, feature: string): boolean {
  return knownErrors.has(feature) || busySlots < LEAST_BUSY_SLOTS;
}

/** Two minutes. */
const LEAST_BUSY_SLOTS = 24;

/** For learning: everything is normal. */
export const ALWAYS_QUIET: IsQuiet = () => true;

/** Adds a tally to the baseline. Its error lines are known from then on, at every service. */
function learnTally(state: JudgeState, watch: Watch, tally: Tally): void {
  merge(watch.usual, tally);
  for (const feature of tally.features.keys()) {
    if (feature !== 'failed' && isFailure(feature)) {
      setBounded(state.knownErrors, feature, true, MAX_FINGERPRINTS);
    }
  }
}

const EXAMPLE = 200;
const MAX_EXAMPLES = 5_000;

function observeLog(state: JudgeState, log: LogItem, slot: number): void {
  const feature = featureOf(log, state.services);
  if (isFailure(feature)) {
    setBounded(state.examples, signalKey(log.service, feature), log.text.slice(0, EXAMPLE), MAX_EXAMPLES);
  }
  if (log.signal !== undefined) {
    rememberSignal(state, log.service, feature, log.signal);
  }
  if (log.traceId === null || log.spanId === null || !addSpanLine(state.assembly, log, feature, slot)) {
    countLines(state, log.service, feature, slot, 1);
  }
}

/** Ends learning: moves the windows into the baselines, and resets the time. */
export function finishLearning(state: JudgeState): void {
  for (const watch of state.watches.values()) {
    for (const tally of watch.slots.values()) {
      learnTally(state, watch, tally);
    }
    watch.slots.clear();
    watch.oddSince = null;
    watch.oddUntil = Number.NEGATIVE_INFINITY;
  }
  for (const [fingerprint, firing] of state.firings) {
    state.firings.set(fingerprint, { ...firing, lastAt: Number.NEGATIVE_INFINITY });
  }
  for (const series of state.series.values()) {
    series.lastAt = Number.NEGATIVE_INFINITY;
    series.measuredAt = Number.NEGATIVE_INFINITY;
    series.oddRun = 0;
  }
  state.found.clear();
  state.nextSlot = null;
  state.busyUntil = Number.NEGATIVE_INFINITY;
}
