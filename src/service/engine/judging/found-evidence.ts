import type { Evidence } from '../../core/evidence.ts';
import type { Family, Origin } from '../../core/telemetry-item.ts';
import { getOrCreateFrequent, senderKey } from '../bounded-map.ts';
import { LIMITS } from '../limits.ts';
import { confirm } from './confirmations.ts';
import { SLOT_MS, YOUNG_SLOTS } from './constants.ts';
import { exampleOf, featuresOf, signalsOf } from './feature-signals.ts';
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
