import type { Evidence, LogItem, TelemetryItem } from '../../core/telemetry-item.ts';
import { judgeAccounts } from '../accounts/accounts.ts';
import { type Located, locate } from '../accounts/locus.ts';
import { servicesOnTheWay } from '../accounts/told.ts';
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

/** A minute is judged at a time: long enough for a share, short enough for an answer. */
const WINDOW_SLOTS = 12;
/** What is normal again for so many slots is over, also while the minute still holds the failure. */
const RECENT_SLOTS = 4;
/** A failure that has just begun shows in its last slots first. */
const LATEST_SLOTS = 2;
/** Odd for half an hour is the new usual. */
const NEW_USUAL_SLOTS = 360;

const MAX_SERVICES = 5_000;
const MAX_FINGERPRINTS = 50_000;

export interface Step {
  /** End of the last judged slot. */
  readonly at: number;
  readonly evidence: readonly Evidence[];
  readonly calls: readonly SeenCall[];
  /** Spans of each service that ended in the slot: who still answers. */
  readonly answers: ReadonlyMap<string, number>;
  /** Places of which requests say that something is wrong, and how surely: from 1 on beyond any chance. */
  readonly odd: ReadonlyMap<string, number>;
}

/** Whether nothing is known to be wrong with a service: what fires there now is its noise. */
export type IsQuiet = (service: string) => boolean;

/** Takes one item. Spans and log lines are judged by `step`, when their slot is over. */
export function observe(state: JudgeState, item: TelemetryItem, isQuiet: IsQuiet, sender = ''): void {
  const slot = Math.floor(item.at / SLOT_MS);
  if (state.nextSlot === null || (slot > state.nextSlot && isOver(state, state.nextSlot))) {
    state.nextSlot = slot; // nobody walks through the silence before it
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

/** Judges every slot that is over by `at`, and hands over each: what it leads to decides what is quiet in the next. */
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

/** Everything that was observed before the slot has been judged. */
function isOver({ assembly, busyUntil, found }: JudgeState, nextSlot: number): boolean {
  return nextSlot > busyUntil + WINDOW_SLOTS && assembly.dueBySlot.size === 0 && found.size === 0;
}

/** Skips silence: to the first slot in which something is in a window, or a span in flight is due. */
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

/** Places of which requests say that something is wrong, and whoever waited for them. */
function findOdd(located: readonly Located[]): Map<string, number> {
  const odd = new Map<string, number>();
  for (const { place, sureness, verdict } of located) {
    for (const service of [place, ...servicesOnTheWay(verdict.told)]) {
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
  // What came already and belongs to a later slot is left out.
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
  // A service may write nothing but errors: then time passes without them.
  watch.active = watch.kind === 'lines' ? slot - watch.firstSlot + 1 : watch.active + (isActive ? 1 : 0);
  const sureness = confirmLines(state, { ...watch, slots }, slot, at, quiet);
  return findings.map((finding) => {
    const isNew = isActive && (finding.seenAt === undefined || finding.seenAt >= slot * SLOT_MS);
    const confirmed = LINES.has(finding.family) ? (sureness.get(finding.subject) ?? 0) : null;
    return toEvidence(state, finding, { ...watch, instance: null }, originOf(finding), at, quiet, isNew, confirmed);
  });
}

/** @returns by text of the error line, how sure it is that it comes more often than usual */
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

/** What was odd is not usual, unless it has been so for long. */
function isUsual({ oddSince, oddUntil }: Watch, past: number, slot: number): boolean {
  return past > oddUntil || (oddSince !== null && slot - oddSince > NEW_USUAL_SLOTS);
}

/** Nobody can say what is new before a system was watched for a while. */
function isKnownError({ knownErrors, busySlots }: JudgeState, feature: string): boolean {
  return knownErrors.has(feature) || busySlots < LEAST_BUSY_SLOTS;
}

/** Two minutes. */
const LEAST_BUSY_SLOTS = 24;

/** Learning only: whatever comes is normal. */
export const ALWAYS_QUIET: IsQuiet = () => true;

/** What was normal becomes usual. An error line that one service writes in quiet time is no news at any other. */
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

/** Ends learning: what is in the windows becomes usual, and time may begin anew. */
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
    series.oddRun = 0;
  }
  state.found.clear();
  state.nextSlot = null;
  state.busyUntil = Number.NEGATIVE_INFINITY;
}
