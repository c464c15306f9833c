import { setBounded } from '../bounded-map.ts';
import { LIMITS } from '../limits.ts';
import { KEPT_TEXT } from './constants.ts';
import type { Finding } from './judge-watch.ts';
import type { JudgingState } from './judging-state.ts';

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
