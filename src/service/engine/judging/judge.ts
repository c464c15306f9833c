import type { Evidence } from '../../core/evidence.ts';
import type { LogItem, TelemetryItem } from '../../core/telemetry-item.ts';
import { servicesOnTheWay } from '../accounts/episode.ts';
import { type Located, locate } from '../accounts/explain.ts';
import { endLast, judgeAccounts } from '../accounts/verdicts.ts';
import { senderKey } from '../bounded-map.ts';
import { isSentAgain } from '../requests/span-lines.ts';
import { addSpan, addTraceLine, runOf } from '../requests/trace-assembly.ts';
import { toAccountEvidence } from './account-evidence.ts';
import { observeAlert, observeChange } from './alerts.ts';
import { hear, judgeArrivals } from './arrivals.ts';
import { SLOT_MS, WINDOW_SLOTS } from './constants.ts';
import { countAnswers, countLines, countSpan, featureOf, findIncomplete, findLost } from './counting.ts';
import { failedFeature, noteService, rememberExample, rememberSignal } from './found-evidence.ts';
import { judgeTraces } from './judge-traces.ts';
import { judgeWindow, learnTally } from './judge-window.ts';
import type { JudgingState, SeenCall } from './judging-state.ts';
import { observeMetric } from './metrics.ts';
import { isFailure } from './tally.ts';

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
type IsQuiet = (service: string) => boolean;

/** Takes one item. Spans and log lines are judged by `step`, when their slot is over. */
export function observe(state: JudgingState, item: TelemetryItem, isQuiet: IsQuiet, sender = ''): void {
  const slot = Math.floor(item.at / SLOT_MS);
  if (state.nextSlot === null || (slot > state.nextSlot && isOver(state, state.nextSlot))) {
    state.nextSlot = slot; // skips the silent slots before it
  }
  if (item.kind === 'span' || item.kind === 'log' || item.kind === 'metric') {
    hear(state.arrivals, sender, Math.max(slot, state.nextSlot) * SLOT_MS);
  }
  if (item.kind === 'span' || item.kind === 'log') {
    state.busyUntil = Math.max(state.busyUntil, slot, state.nextSlot);
  }
  noteService(state, item.service, sender, Math.max(slot, state.nextSlot));
  switch (item.kind) {
    case 'span':
      addSpan(state.assembly, item, sender, Math.max(slot, state.nextSlot));
      if (item.signal !== undefined) {
        rememberSignal(state, { sender, service: item.service, feature: failedFeature(item.operation) }, item.signal);
      }
      return;
    case 'log':
      observeLog(state, item, sender, Math.max(slot, state.nextSlot));
      return;
    case 'metric':
      observeMetric(state, item, sender, isQuiet(item.service));
      return;
    case 'alert':
      observeAlert(state, item, sender, isQuiet(item.service));
      return;
    case 'change':
      observeChange(state, item, sender);
      return;
  }
}

/** Judges every slot that is over by `at`. `onStep` gets each, since its incidents decide what is quiet in the next. */
export function step<Result>(
  state: JudgingState,
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
function isOver({ assembly, busyUntil, found }: JudgingState, nextSlot: number): boolean {
  return nextSlot > busyUntil + WINDOW_SLOTS && assembly.dueBySlot.size === 0 && found.size === 0;
}

/** The next slot with data in a window, a found item or a trace that is due. Skips silent slots. */
function nextBusySlot({ nextSlot, found, watches, assembly }: JudgingState, last: number): number {
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

function judgeSlot(state: JudgingState, slot: number, isQuiet: IsQuiet): Step {
  const { spans, requests, lostLines } = judgeTraces(state, slot);
  const calls = new Map(state.calls);
  state.calls.clear();
  const incomplete = findIncomplete(spans);
  const lost = findLost(spans);
  for (const assembled of spans) {
    const run = runOf(assembled.span);
    countSpan(state, assembled, slot, calls, { isClean: !incomplete.has(run), hasFailed: lost.has(run) });
  }
  // In this slot, not in the one they were written in: that has been judged, and what it tells is not new.
  for (const lines of lostLines) {
    countLines(state, lines, slot);
  }
  const hasReports = spans.length > 0 || [...state.watches.values()].some(({ slots }) => slots.has(slot));
  state.busySlots += hasReports ? 1 : 0;
  const at = (slot + 1) * SLOT_MS;
  const evidence = takeFoundBefore(state, at);
  const verdicts = judgeAccounts(state.accounts, slot * SLOT_MS, at);
  const located = locate(verdicts, state.accounts);
  const odd = findOdd(located);
  for (const found of [...toAccountEvidence(state, located, at), ...judgeArrivals(state.arrivals, located, at)]) {
    evidence.set(found.fingerprint, found);
  }
  endLast(verdicts);
  for (const watch of state.watches.values()) {
    if (watch.slots.size > 0) {
      for (const found of judgeWindow(state, watch, slot, at, isQuiet(watch.service))) {
        evidence.set(found.fingerprint, found);
      }
    }
  }
  const answers = countAnswers(requests);
  for (const service of state.working) {
    answers.set(service, (answers.get(service) ?? 0) + 1);
  }
  state.working.clear();
  return { at, evidence: [...evidence.values()], calls: [...calls.values()], answers, odd };
}

/** Takes out the metrics, alerts and changes up to a time. */
function takeFoundBefore({ found }: JudgingState, at: number): Map<string, Evidence> {
  const taken = new Map([...found].filter(([, evidence]) => evidence.at < at));
  for (const fingerprint of taken.keys()) {
    found.delete(fingerprint);
  }
  return taken;
}

/** Sureness of a fault, by place and by service that waited for the place. */
function findOdd(located: readonly Located[]): Map<string, number> {
  const odd = new Map<string, number>();
  for (const { place, significance, verdict } of located) {
    for (const service of [place, ...servicesOnTheWay(verdict.episode)]) {
      odd.set(service, Math.max(odd.get(service) ?? 0, significance));
    }
  }
  return odd;
}

/** For learning: everything is normal. */
export const ALWAYS_QUIET: IsQuiet = () => true;

function observeLog(state: JudgingState, log: LogItem, sender: string, slot: number): void {
  if (isSentAgain(state.assembly.seenLines, log, sender)) {
    return;
  }
  const isService = { has: (name: string) => state.services.has(senderKey(sender, name)) };
  const about = { sender, service: log.service, feature: featureOf(log, isService) };
  if (isFailure(about.feature)) {
    rememberExample(state, about, log.text);
  }
  if (log.signal !== undefined) {
    rememberSignal(state, about, log.signal);
  }
  if (!addTraceLine(state.assembly, log, about.feature, sender, slot)) {
    countLines(state, { ...about, lines: 1 }, slot);
  }
}

/** Ends learning: moves the windows into the baselines, and resets the time. */
export function finishLearning(state: JudgingState): void {
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
    series.wellRun = Number.POSITIVE_INFINITY;
  }
  state.found.clear();
  state.nextSlot = null;
  state.busyUntil = Number.NEGATIVE_INFINITY;
}
