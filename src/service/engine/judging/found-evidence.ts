import type { Evidence, Family, Origin } from '../../core/telemetry-item.ts';
import { getOrCreateFrequent, senderKey } from '../bounded-map.ts';
import { LINES } from '../evidence.ts';
import { confirm } from './confirmations.ts';
import { exampleOf, featuresOf, signalsOf } from './feature-signals.ts';
import type { JudgeState } from './judge-state.ts';
import type { Finding } from './judge-watch.ts';
import { fire } from './rarity.ts';
import { SLOT_MS } from './tally.ts';

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
  // A service may always have written this line.
  const isUnknown = isYoung && LINES.has(family) && significance < 1;
  const [example] = featuresOf(finding).flatMap((feature) => exampleOf(state, { sender, service, feature }) ?? []);
  const evidence = {
    ...finding,
    ...(isUnknown ? { strength: UNKNOWN * finding.strength } : {}),
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

const MAX_SERVICES = 10_000;

/** Remembers that a sender reports a service. */
export function noteService({ services }: JudgeState, service: string, sender: string, slot: number): void {
  getOrCreateFrequent(
    services,
    senderKey(sender, service),
    MAX_SERVICES,
    () => slot,
    (firstSlot) => -firstSlot,
  );
}

/** A service has no baseline until this many slots (five minutes) after its sender first reported it. */
const YOUNG_SLOTS = 60;

export function isYoungAt(
  { services }: JudgeState,
  { service, sender }: { readonly service: string; readonly sender: string },
  at: number,
): boolean {
  const firstSlot = services.get(senderKey(sender, service));
  return firstSlot !== undefined && at / SLOT_MS - firstSlot < YOUNG_SLOTS;
}
