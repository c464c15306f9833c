import type { StoredSignal } from '../core/signal.ts';

/** Orders signals by time, then by id. */
export function byTime(a: StoredSignal, b: StoredSignal): number {
  return a.observedAt.getTime() - b.observedAt.getTime() || (a.id < b.id ? -1 : Number(a.id > b.id));
}
