import { setBounded } from '../bounded-map.ts';
import type { JudgeState } from './judge-state.ts';
import type { Finding } from './judge-watch.ts';

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

/** The features that a finding counts. */
export function featuresOf({ family, peer, subject }: Finding): string[] {
  if (family === 'failed_calls') {
    return peer === null ? [failedFeature(subject)] : [];
  }
  return family === 'error_log' || family === 'new_error_log' ? [`error ${subject}`, `fatal ${subject}`] : [];
}

export function signalKey(service: string, feature: string): string {
  return `${service}\n${feature}`;
}
