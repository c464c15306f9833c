import type {
  AlertItem,
  ChangeItem,
  Evidence,
  Family,
  MetricItem,
  MetricMeaning,
  Origin,
} from '../../core/telemetry-item.ts';
import { getOrCreate, getOrCreateFrequent, setBounded } from '../bounded-map.ts';
import { LEAST_ALERT, LINES } from '../evidence.ts';
import type { Histogram } from '../histogram.ts';
import { confirm } from './confirmations.ts';
import { createSeries, judgeMetric, tellsFailures, tellsRecovery } from './judge-metric.ts';
import type { JudgeState } from './judge-state.ts';
import type { Finding } from './judge-watch.ts';
import { sinceLastTotal } from './metric-total.ts';
import { fire } from './rarity.ts';
import { SLOT_MS } from './tally.ts';

const MAX_SERIES = 20_000;

export function originOf({ family }: Finding): Origin {
  return LOG_FAMILIES.has(family) ? 'log' : 'trace';
}

/** Strength factor of error lines whose service is too young to have a baseline. */
const UNKNOWN = 0.05;

const LOG_FAMILIES: ReadonlySet<Family> = new Set(['new_error_log', 'error_log', 'log_stopped']);

export function toEvidence(
  state: JudgeState,
  finding: Finding,
  source: {
    readonly service: string;
    readonly instance: string | null;
    readonly looks: number;
    readonly active: number;
  },
  origin: Origin,
  at: number,
  quiet: boolean,
  isNew: boolean | null,
  confirmed: number | null = null,
): Evidence {
  const isYoung = isYoungAt(state, source.service, at);
  const { service, instance, looks, active } = source;
  const { family, lastsMs: everyMs = 0 } = finding;
  const fingerprint = [origin, service, instance ?? '', finding.family, finding.peer ?? '', finding.subject].join('|');
  const rarity = fire(state.firings, fingerprint, { at, looks, isQuiet: quiet, isOncePerEpisode: false, everyMs });
  const sighting = { fingerprint, family, at, looks: active, isNew, isQuiet: quiet, isYoung, among: 1 };
  const significance = confirmed ?? confirm(state.confirmations, sighting);
  // A service may always have written this line.
  const isUnknown = isYoung && LINES.has(family);
  const [example] = featuresOf(finding).flatMap((feature) => state.examples.get(signalKey(service, feature)) ?? []);
  const about = example === undefined ? {} : { example };
  const evidence = {
    ...finding,
    ...(isUnknown ? { strength: UNKNOWN * finding.strength } : {}),
    ...about,
    significance,
    fingerprint,
    origin,
    service,
    instance,
    at,
    rarity,
    traceId: null,
    hasEnded: null,
  };
  const signals = featuresOf(finding).flatMap((feature) => state.signals.get(signalKey(service, feature)) ?? []);
  return signals.length === 0 ? evidence : { ...evidence, signals };
}

/** A service has no baseline until this many slots (five minutes) after it was first seen. */
const YOUNG_SLOTS = 60;

export function isYoungAt({ services }: JudgeState, service: string, at: number): boolean {
  const firstSlot = services.get(service);
  return firstSlot !== undefined && at / SLOT_MS - firstSlot < YOUNG_SLOTS;
}

const MAX_SIGNAL_KEYS = 20_000;
const MAX_SIGNALS_PER_KEY = 20;

/** Remembers that a stored signal is part of what a feature counts. */
export function rememberSignal(state: JudgeState, service: string, feature: string, signal: string): void {
  const key = signalKey(service, feature);
  const known = state.signals.get(key) ?? [];
  if (!known.includes(signal)) {
    setBounded(state.signals, key, [...known, signal].slice(-MAX_SIGNALS_PER_KEY), MAX_SIGNAL_KEYS);
  }
}

/** The feature of failed spans of one operation. */
export function failedFeature(operation: string): string {
  return `failed ${operation}`;
}

function featuresOf({ family, peer, subject }: Finding): string[] {
  if (family === 'failed_calls') {
    return peer === null ? [failedFeature(subject)] : [];
  }
  return family === 'error_log' || family === 'new_error_log' ? [`error ${subject}`, `fatal ${subject}`] : [];
}

export function signalKey(service: string, feature: string): string {
  return `${service}\n${feature}`;
}

/** Metrics that a service has only while it answers. */
const OF_REQUESTS: ReadonlySet<MetricMeaning> = new Set(['duration', 'unavailability']);

export function observeMetric(state: JudgeState, sent: MetricItem, quiet: boolean): void {
  const item = sinceLastTotal(state.totals, sent);
  if (item === null) {
    return;
  }
  countCalls(state, item);
  const key = `${item.service}|${item.instance}|${item.series}`;
  const create = () => createSeries(item.service, usualBefore(state, item, key));
  const series = getOrCreateFrequent(state.series, key, MAX_SERIES, create, ({ usual }) => usual.total);
  const finding = judgeMetric(series, item);
  series.looks += quiet ? 1 : 0;
  series.active += 1;
  if (finding === null && OF_REQUESTS.has(item.meaning) && tellsRecovery(series)) {
    state.working.add(item.peer ?? item.service);
  }
  if (finding !== null) {
    record(state, toEvidence(state, finding, { ...series, instance: item.instance }, 'metric', item.at, quiet, true));
  }
}

/** Systems without traces have no other calls: their metrics tell who calls whom. */
function countCalls({ calls }: JudgeState, { service, peer, meaning, value, count = 0 }: MetricItem): void {
  if (peer === undefined || meaning !== 'unavailability') {
    return;
  }
  const seen = getOrCreate(calls, `${service}>${peer}`, MAX_SERIES, () => ({
    caller: service,
    callee: peer,
    calls: 0,
    failed: 0,
  }));
  seen.calls += count;
  seen.failed += value * count;
}

/** A new instance, as after a deployment, begins with the usual failures of the one before: it may fail from the start. */
function usualBefore({ series, newestSeries }: JudgeState, item: MetricItem, key: string): Histogram | undefined {
  if (!tellsFailures(item)) {
    return undefined;
  }
  const ofService = `${item.service}|${item.series}`;
  const before = newestSeries.get(ofService);
  setBounded(newestSeries, ofService, key, MAX_SERIES);
  return series.get(before ?? '')?.usual;
}

/** Rates of alerts are measured in windows of this length. Only windows in which some alert fired are counted. */
const ALERT_WINDOW_MS = 600_000;

const MAX_ENDED_ALERTS = 10_000;

/**
 * Only weak alerts in quiet time make their fingerprint less rare. An alert that opens or joins an incident is not
 * noise.
 */
export function observeAlert(state: JudgeState, alert: AlertItem, quiet: boolean): void {
  const endedAt = state.endedAlerts.get(alert.fingerprint);
  if (alert.hasEnded === false && endedAt !== undefined && alert.at <= endedAt) {
    return; // an old notification that arrives late
  }
  if (alert.hasEnded === true) {
    setBounded(state.endedAlerts, alert.fingerprint, alert.at, MAX_ENDED_ALERTS);
  }
  const { kind: _, ...rest } = alert;
  const window = Math.floor(alert.at / ALERT_WINDOW_MS);
  if (window !== state.alertWindows.last) {
    state.alertWindows.last = window;
    state.alertWindows.count += 1;
  }
  const isNoise = quiet && alert.strength < LEAST_ALERT;
  const look = { at: alert.at, looks: state.alertWindows.count, isQuiet: isNoise, isOncePerEpisode: true };
  const rarity = fire(state.firings, alert.fingerprint, look);
  record(state, { ...rest, origin: 'alert', rarity, now: 1, usual: 0, count: 1, signals: [alert.fingerprint] });
}

/** Takes out the alerts, which need no slot to be judged. */
export function takeAlerts({ found }: JudgeState): Evidence[] {
  const alerts = [...found.values()].filter(({ origin }) => origin === 'alert');
  for (const { fingerprint } of alerts) {
    found.delete(fingerprint);
  }
  return alerts;
}

export function observeChange(state: JudgeState, { service, at, subject }: ChangeItem): void {
  const about = { service, instance: null, peer: null, subject, traceId: null } as const;
  const fingerprint = ['change', service, subject, at].join('|');
  record(state, {
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
    hasEnded: null,
  });
}

function record(state: JudgeState, evidence: Evidence): void {
  const known = state.found.get(evidence.fingerprint);
  if (known === undefined || evidence.at >= known.at || evidence.strength > known.strength) {
    state.found.set(evidence.fingerprint, evidence);
  }
}
