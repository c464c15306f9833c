import type { IncidentSummary } from '../contract/resources.ts';

/** `mute` stays in a stored incident after its end. */
export function isMuted({ mute }: Pick<IncidentSummary, 'mute'>, at: Date): boolean {
  return mute !== null && mute !== undefined && Date.parse(mute.until) > at.getTime();
}
