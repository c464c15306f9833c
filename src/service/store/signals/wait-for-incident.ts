import { setTimeout } from 'node:timers/promises';
import type { SignalStore } from './signal-store.ts';

const LOOK_EVERY_MS = 50;

/**
 * Waits until correlation has put the newest signal of this fingerprint into an incident. It is slower while it catches up.
 *
 * @param atMostMs zero: looks once
 * @param isLost whether a signal that was received then will not get an incident any more
 * @returns its id; null: there is no such signal, or it is lost; undefined: its incident is about to open
 */
export async function waitForIncident(
  signals: Pick<SignalStore, 'findNewest'>,
  fingerprint: string,
  atMostMs: number,
  isLost: (receivedAt: Date) => boolean = () => false,
): Promise<string | null | undefined> {
  const endMs = performance.now() + atMostMs;
  for (;;) {
    const signal = await signals.findNewest(fingerprint);
    if (signal === null || signal.incidentId !== null) {
      return signal?.incidentId ?? null;
    }
    if (isLost(signal.receivedAt)) {
      return null;
    }
    if (performance.now() >= endMs) {
      return undefined;
    }
    await setTimeout(LOOK_EVERY_MS);
  }
}
