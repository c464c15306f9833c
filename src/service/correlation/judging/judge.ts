import { getOrCreate, setBounded } from '../bounded-map.ts';
import type {
  AlertItem,
  ChangeItem,
  Evidence,
  Family,
  LogItem,
  MetricItem,
  Origin,
  SpanItem,
  TelemetryItem,
} from '../telemetry-item.ts';
import { createSeries, judgeMetric, type Series } from './judge-metric.ts';
import { type Finding, judgeWatch } from './judge-watch.ts';
import { errorTemplate, statementTemplate } from './log-template.ts';
import { type Firings, fire } from './rarity.ts';
import {
  type AssembledSpan,
  addSpan,
  addSpanLog,
  completeSpans,
  createSpanAssembly,
  type SpanAssemblyState,
} from './span-assembly.ts';
import { count, createTally, isFailure, merge, type Tally, type Watch, withoutFailures } from './tally.ts';

export const SLOT_MS = 5_000;
/** A minute is judged at a time: long enough for a share, short enough for an answer. */
const WINDOW_SLOTS = 12;
/** What is normal again for so many slots is over, also while the minute still holds the failure. */
const RECENT_SLOTS = 4;
/** Relatives of a span may come this many slots after it. */
const LATE_SLOTS = 1;
/** Odd for half an hour is the new usual. */
const NEW_USUAL_SLOTS = 360;

const MAX_SERVICES = 5_000;
const MAX_WATCHES = 20_000;
const MAX_SERIES = 20_000;
const MAX_FINGERPRINTS = 50_000;

/** Calls from one service to another in one slot. */
export interface SeenCall {
  readonly caller: string;
  readonly callee: string;
  calls: number;
  failed: number;
}

export interface JudgeState {
  /** First slot that has not been judged. null before the first item. */
  nextSlot: number | null;
  readonly assembly: SpanAssemblyState;
  readonly watches: Map<string, Watch>;
  readonly series: Map<string, Series>;
  readonly firings: Firings;
  /** Slots in which something was traced or logged. */
  busySlots: number;
  /** Error lines that some service writes in quiet time. */
  readonly knownErrors: Map<string, true>;
  /** Windows in which some alert fired. */
  readonly alertWindows: { count: number; last: number };
  /** Every service that was heard of. */
  readonly services: Set<string>;
  /** Found since the last step: metrics and alerts are judged at once. */
  readonly found: Map<string, Evidence>;
}

export interface Step {
  /** End of the last judged slot. */
  readonly at: number;
  readonly evidence: readonly Evidence[];
  readonly calls: readonly SeenCall[];
  /** Spans of each service that ended in the slot: who still answers. */
  readonly answers: ReadonlyMap<string, number>;
}

/** Whether nothing is known to be wrong with a service: what fires there now is its noise. */
export type IsQuiet = (service: string) => boolean;

export function createJudgeState(): JudgeState {
  return {
    nextSlot: null,
    assembly: createSpanAssembly(),
    watches: new Map(),
    series: new Map(),
    firings: new Map(),
    services: new Set(),
    busySlots: 0,
    knownErrors: new Map(),
    alertWindows: { count: 0, last: Number.NEGATIVE_INFINITY },
    found: new Map(),
  };
}

/** Takes one item. Spans and log lines are judged by `step`, when their slot is over. */
export function observe(state: JudgeState, item: TelemetryItem, isQuiet: IsQuiet): void {
  const slot = Math.floor(item.at / SLOT_MS);
  state.nextSlot ??= slot;
  if (state.services.size < MAX_SERVICES) {
    state.services.add(item.service);
  }
  switch (item.kind) {
    case 'span':
      addSpan(state.assembly, item, Math.max(slot, state.nextSlot));
      return;
    case 'log':
      observeLog(state, item, Math.max(slot, state.nextSlot));
      return;
    case 'metric':
      observeMetric(state, item, isQuiet);
      return;
    case 'alert':
      observeAlert(state, item);
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

/** Skips silence: nothing is in flight and nothing is in a window. */
function nextBusySlot(state: JudgeState, last: number): number {
  const next = (state.nextSlot ?? 0) + 1;
  const isIdle =
    state.assembly.dueBySlot.size === 0 && [...state.watches.values()].every(({ slots }) => slots.size === 0);
  return isIdle && state.found.size === 0 ? Math.max(next, last) : next;
}

function judgeSlot(state: JudgeState, slot: number, isQuiet: IsQuiet): Step {
  const { spans, lostLogs } = completeSpans(state.assembly, slot - LATE_SLOTS);
  state.busySlots += spans.length + lostLogs.length > 0 ? 1 : 0;
  const calls = new Map<string, SeenCall>();
  const failed = findFailed(spans);
  for (const assembled of spans) {
    countSpan(state, assembled, slot, calls, !failed.has(runOf(assembled.span)));
  }
  for (const { feature, service } of lostLogs) {
    countLine(state, service, feature, slot);
  }
  const evidence = new Map(state.found);
  state.found.clear();
  const at = (slot + 1) * SLOT_MS;
  for (const watch of state.watches.values()) {
    if (watch.slots.size > 0) {
      for (const found of judgeNow(state, watch, slot, at, isQuiet)) {
        evidence.set(found.fingerprint, found);
      }
    }
  }
  return { at, evidence: [...evidence.values()], calls: [...calls.values()], answers: countAnswers(spans) };
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
  for (const [past, tally] of watch.slots) {
    merge(now, tally);
    if (past > slot - RECENT_SLOTS) {
      merge(recent, tally);
    }
  }
  if (now.total === 0) {
    watch.oddSince = null;
    return [];
  }
  const findings = judgeWatch(watch, { now, recent }, (feature) => isKnownError(state, feature));
  watch.oddSince = findings.length === 0 ? null : (watch.oddSince ?? slot);
  watch.oddUntil = findings.length === 0 ? watch.oddUntil : slot;
  watch.looks += quiet ? 1 : 0;
  return findings.map((finding) =>
    toEvidence(state, finding, { ...watch, instance: null }, originOf(finding), at, quiet),
  );
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
    if (feature.startsWith('error ')) {
      setBounded(state.knownErrors, feature, true, MAX_FINGERPRINTS);
    }
  }
}

function originOf({ family }: Finding): Origin {
  return LOG_FAMILIES.has(family) ? 'log' : 'trace';
}

const LOG_FAMILIES: ReadonlySet<Family> = new Set(['new_error_log', 'error_log', 'log_stopped']);

function toEvidence(
  state: JudgeState,
  finding: Finding,
  source: { readonly service: string; readonly instance: string | null; readonly looks: number },
  origin: Origin,
  at: number,
  quiet: boolean,
): Evidence {
  const { service, instance, looks } = source;
  const fingerprint = [origin, service, instance ?? '', finding.family, finding.peer ?? '', finding.subject].join('|');
  const rarity = fire(state.firings, fingerprint, { at, looks, isQuiet: quiet, isOncePerEpisode: false });
  return { ...finding, fingerprint, origin, service, instance, at, rarity, traceId: null, hasEnded: false };
}

const NONE: ReadonlyMap<string, number> = new Map();

function countAnswers(spans: readonly AssembledSpan[]): ReadonlyMap<string, number> {
  const answers = new Map<string, number>();
  for (const { span } of spans) {
    answers.set(span.service, (answers.get(span.service) ?? 0) + 1);
  }
  return answers;
}

/** What one service does for one request. */
function runOf({ traceId, service }: SpanItem): string {
  return traceId + service;
}

/** Requests in which something failed: what is missing there, the failure explains. */
function findFailed(spans: readonly AssembledSpan[]): Set<string> {
  const failed = spans.filter(
    ({ span, logs, calls }) =>
      span.isFailed || [...logs.keys()].some(isFailure) || calls.some((call) => call.failed > 0),
  );
  return new Set(failed.map(({ span }) => runOf(span)));
}

function countSpan(
  state: JudgeState,
  assembled: AssembledSpan,
  slot: number,
  calls: Map<string, SeenCall>,
  isClean: boolean,
): void {
  const { span, steps, logs } = assembled;
  const [call] = assembled.calls;
  const isOutgoing = assembled.calls.length === 1 && call?.gapMs !== null && call !== undefined;
  const features = new Map([...steps, ...logs, ...(span.isFailed ? [['failed', 1] as const] : [])]);
  countIn(
    state,
    `${span.service}|${span.operation}`,
    { service: span.service, kind: 'operation', subject: span.operation },
    slot,
    features,
    isOutgoing ? null : assembled.selfMs,
    isClean,
  );
  for (const [feature, lines] of logs) {
    for (let line = 0; line < lines; line += 1) {
      countLine(state, span.service, feature, slot);
    }
  }
  for (const { callee, calls: number, failed, gapMs } of assembled.calls) {
    const about = { service: span.service, kind: 'edge', subject: callee } as const;
    countIn(state, `${span.service}>${callee}`, about, slot, failed > 0 ? new Map([['failed', 1]]) : NONE, gapMs, true);
    const key = `${span.service}>${callee}`;
    const seen = calls.get(key) ?? { caller: span.service, callee, calls: 0, failed: 0 };
    seen.calls += number;
    seen.failed += failed;
    calls.set(key, seen);
  }
}

function countLine(state: JudgeState, service: string, feature: string, slot: number): void {
  countIn(state, linesKey(service), { service, kind: 'lines', subject: '' }, slot, new Map([[feature, 1]]), null, true);
}

function linesKey(service: string): string {
  return `${service}#lines`;
}

function featureOf({ severity, text }: LogItem, services: ReadonlySet<string>): string {
  const isError = severity === 'error' || severity === 'critical';
  return isError ? `error ${errorTemplate(text, services)}` : `log ${statementTemplate(text)}`;
}

function countIn(
  state: JudgeState,
  key: string,
  about: Pick<Watch, 'service' | 'kind' | 'subject'>,
  slot: number,
  features: ReadonlyMap<string, number>,
  timeMs: number | null,
  isClean: boolean,
): void {
  const watch = getOrCreate(state.watches, key, MAX_WATCHES, () => ({
    ...about,
    usual: createTally(),
    slots: new Map<number, Tally>(),
    looks: 0,
    oddSince: null,
    oddUntil: Number.NEGATIVE_INFINITY,
  }));
  count(getOrCreate(watch.slots, slot, WINDOW_SLOTS + 1, createTally), features, timeMs, isClean);
}

function observeLog(state: JudgeState, log: LogItem, slot: number): void {
  const feature = featureOf(log, state.services);
  if (log.traceId === null || log.spanId === null || !addSpanLog(state.assembly, log, feature, slot)) {
    countLine(state, log.service, feature, slot);
  }
}

function observeMetric(state: JudgeState, item: MetricItem, isQuiet: IsQuiet): void {
  const series = getOrCreate(state.series, `${item.service}|${item.instance}|${item.series}`, MAX_SERIES, () =>
    createSeries(item.service),
  );
  const finding = judgeMetric(series, item);
  const quiet = isQuiet(item.service);
  series.looks += quiet ? 1 : 0;
  if (finding !== null) {
    keep(state, toEvidence(state, finding, { ...series, instance: item.instance }, 'metric', item.at, quiet));
  }
}

/** Windows in which alerts are counted: so long ones go by between two that have nothing to do with each other. */
const ALERT_WINDOW_MS = 600_000;

function observeAlert(state: JudgeState, alert: AlertItem): void {
  const { kind: _, ...rest } = alert;
  const window = Math.floor(alert.at / ALERT_WINDOW_MS);
  if (window !== state.alertWindows.last) {
    state.alertWindows.last = window;
    state.alertWindows.count += 1;
  }
  const look = { at: alert.at, looks: state.alertWindows.count, isQuiet: true, isOncePerEpisode: true };
  const rarity = fire(state.firings, alert.fingerprint, look);
  keep(state, { ...rest, origin: 'alert', rarity, now: 1, usual: 0, count: 1 });
}

function observeChange(state: JudgeState, { service, at, subject }: ChangeItem): void {
  const about = { service, instance: null, peer: null, subject, traceId: null } as const;
  const fingerprint = ['change', service, subject, at].join('|');
  keep(state, {
    ...about,
    fingerprint,
    origin: 'change',
    family: 'change',
    at,
    strength: 1,
    rarity: 1,
    now: 1,
    usual: 0,
    count: 1,
    hasEnded: false,
  });
}

function keep(state: JudgeState, evidence: Evidence): void {
  const known = state.found.get(evidence.fingerprint);
  if (known === undefined || evidence.hasEnded || evidence.strength > known.strength) {
    state.found.set(evidence.fingerprint, evidence);
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
}
