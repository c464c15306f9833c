import type { Incident } from '../../core/incident.ts';

/** Calls from one service to another. */
export interface ShownCall {
  readonly from: string;
  readonly to: string;
  /** "193 of 193 failed"; empty: none did. */
  readonly label: string;
}

/**
 * What fails, the most failures first, and the calls that work. Counts are those of the incident's impact: the others are
 * sums over hours that fade, so they only tell whether any call failed.
 */
export function callsOf({ impact, correlation }: Pick<Incident, 'impact' | 'correlation'>): ShownCall[] {
  const measured = impact.map(({ from, to, calls, failed }) => ({
    from,
    to,
    failed,
    label: countWords(calls, failed),
  }));
  const known = new Set(measured.map(keyOf));
  const others = correlation.edges
    .filter((edge) => !known.has(keyOf(edge)))
    .map(({ from, to, errors }) => ({ from, to, failed: errors, label: errors === 0 ? '' : 'some failed' }));
  return [
    ...measured.toSorted((one, other) => other.failed - one.failed),
    ...others.toSorted((one, other) => other.failed - one.failed),
  ].map(({ from, to, label }) => ({ from, to, label }));
}

function keyOf({ from, to }: Pick<ShownCall, 'from' | 'to'>): string {
  return `${from}\n${to}`;
}

function countWords(calls: number, failed: number): string {
  return failed === 0 ? '' : `${failed.toLocaleString('en')} of ${Math.max(calls, failed).toLocaleString('en')} failed`;
}
