import type { Evidence } from '../../core/evidence.ts';
import type { Family, Origin } from '../../core/telemetry-item.ts';
import { getOrCreateFrequent, senderKey, setBounded } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { confirm } from './confirmations.ts';
import { KEPT_TEXT, SLOT_MS, YOUNG_SLOTS } from './constants.ts';
import type { Finding } from './judge-watch.ts';
import type { JudgingState } from './judging-state.ts';
import { fire } from './rarity.ts';

export function originOf({ family }: Finding): Origin {
  return LOG_FAMILIES.has(family) ? 'log' : 'trace';
}

const LOG_FAMILIES: ReadonlySet<Family> = new Set(['new_error_log', 'error_log', 'log_stopped']);

export function toEvidence(
  state: JudgingState,
  finding: Finding,
  source: {
    readonly sender: string;
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
  const isYoung = isYoungAt(state, source, at);
  const { sender, service, instance, looks, active } = source;
  const { family, lastsMs: everyMs = 0 } = finding;
  const about = [service, instance ?? '', family, finding.peer ?? '', finding.subject];
  const fingerprint = [origin, sender, ...about].join('|');
  const rarity = fire(state.firings, fingerprint, { at, looks, isQuiet: quiet, isOncePerEpisode: false, everyMs });
  const sighting = {
    sender,
    subject: about.join('|'),
    family,
    at,
    looks: active,
    isNew,
    isQuiet: quiet,
    isYoung,
    among: null,
  };
  const significance = confirmed ?? confirm(state.confirmations, sighting);
  const [example] = featuresOf(finding).flatMap((feature) => exampleOf(state, { sender, service, feature }) ?? []);
  const evidence = {
    ...finding,
    ...(example === undefined ? {} : { example }),
    significance,
    fingerprint,
    origin,
    sender,
    service,
    instance,
    at,
    rarity,
    traceId: null,
    hasEnded: null,
  };
  const signals = featuresOf(finding).flatMap((feature) => signalsOf(state, service, feature, sender));
  return signals.length === 0 ? evidence : { ...evidence, signals };
}

/** Remembers that a sender reports a service. */
export function noteService({ services }: JudgingState, service: string, sender: string, slot: number): void {
  getOrCreateFrequent(
    services,
    senderKey(sender, service),
    LIMITS.entries,
    () => slot,
    (firstSlot) => -firstSlot,
  );
}

export function isYoungAt(
  { services }: JudgingState,
  { service, sender }: { readonly service: string; readonly sender: string },
  at: number,
): boolean {
  const firstSlot = services.get(senderKey(sender, service));
  return firstSlot !== undefined && at / SLOT_MS - firstSlot < YOUNG_SLOTS;
}

/** What one sender reports of a service. */
interface Feature {
  readonly sender: string;
  readonly service: string;
  readonly feature: string;
}

/** Remembers an error line as it was written. */
export function rememberExample({ examples }: JudgingState, { sender, service, feature }: Feature, text: string): void {
  setBounded(examples, [sender, signalKey(service, feature)].join('\n'), text.slice(0, KEPT_TEXT), LIMITS.services);
}

export function exampleOf({ examples }: JudgingState, { sender, service, feature }: Feature): string | undefined {
  return examples.get([sender, signalKey(service, feature)].join('\n'));
}

/** Remembers that a stored signal is part of what a feature counts. */
export function rememberSignal({ signals }: JudgingState, { sender, service, feature }: Feature, signal: string): void {
  const key = signalKey(service, feature);
  const bySender = signals.get(key) ?? new Map<string, readonly string[]>();
  const own = bySender.get(sender) ?? [];
  if (!own.includes(signal)) {
    setBounded(bySender, sender, [...own, signal].slice(-LIMITS.few), LIMITS.many);
    setBounded(signals, key, bySender, LIMITS.names);
  }
}

/** @param sender null: of every one, because the services that a request goes through may report with different keys */
export function signalsOf(
  { signals }: JudgingState,
  service: string,
  feature: string,
  sender: string | null,
): readonly string[] {
  const bySender = signals.get(signalKey(service, feature)) ?? new Map<string, readonly string[]>();
  return sender === null ? [...bySender.values()].flat() : (bySender.get(sender) ?? []);
}

/** The feature of failed spans of one operation. */
export function failedFeature(operation: string): string {
  return `failed ${operation}`;
}

/** The features that a finding counts. */
export function featuresOf({ family, peer, subject }: Finding): string[] {
  if (family === 'failed_calls') {
    return peer === null ? [failedFeature(subject)] : [];
  }
  return family === 'error_log' || family === 'new_error_log' ? [`error ${subject}`] : [];
}

function signalKey(service: string, feature: string): string {
  return `${service}\n${feature}`;
}
