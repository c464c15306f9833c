import type { Severity } from '../../../contract/resources.ts';
import { isWorse } from '../../../incident/severity.ts';

/** After this time without an answer, what is not worse rings too. */
const RING_AGAIN_MS = 5 * 60_000;
/** How soon an attempt that waits for another incident of the same person looks again. */
export const LOOK_AGAIN_MS = 5_000;

/** Another incident that a person is being woken for, and has not answered. */
export interface Ringing {
  readonly pageId: string;
  readonly severity: Severity;
  /** How long ago it last rang; null: it has not yet. */
  readonly rangMsAgo: number | null;
}

/**
 * Whether an incident waits, because the person is just being woken for another one: what fails together rings once. What
 * is worse rings at once.
 */
export function waitsForOther(severity: Severity, others: readonly Ringing[]): boolean {
  const recent = others.filter(({ rangMsAgo }) => rangMsAgo !== null && rangMsAgo < RING_AGAIN_MS);
  return recent.length > 0 && recent.every((other) => !isWorse(severity, other.severity));
}
