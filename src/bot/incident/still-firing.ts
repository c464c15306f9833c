import { z } from 'zod';
import type { Incident } from '../../contract/resources.ts';
import { isValid, max, subMinutes } from '../../runtime/dates.ts';

const STILL_FIRING_MINUTES = 5;
const NAMED_SERVICES = 5;
const SERVICE_LENGTH = 100;

/** Signals that have not ended, so closing may be too early. */
export const StillFiring = z.object({
  signals: z.int().positive(),
  /** The first few by name. */
  services: z.array(z.string()),
  moreServices: z.int().nonnegative(),
  lastSeenAt: z.string(),
});
export type StillFiring = z.infer<typeof StillFiring>;

/**
 * Finds the signals that have not ended. If the service reports the activity of the incident, as the card shows it, none
 * fires unless it is failing. A signal whose sender does not report an end counts as firing if it was seen within the
 * last five minutes. Signals without times are left out.
 */
export function findStillFiring({ signals = [], activity }: Incident, now: Date): StillFiring | null {
  if (activity !== undefined && activity !== 'failing') {
    return null;
  }
  const since = subMinutes(now, STILL_FIRING_MINUTES);
  const firing = signals.flatMap(({ service, ended_at: endedAt, last_seen_at, observed_at }) => {
    const at = new Date(last_seen_at ?? observed_at ?? Number.NaN);
    return isValid(at) && (endedAt === null || (endedAt === undefined && at > since)) ? [{ service, at }] : [];
  });
  if (firing.length === 0) {
    return null;
  }
  const services = [...new Set(firing.map(({ service }) => service))];
  return {
    signals: firing.length,
    services: services.slice(0, NAMED_SERVICES).map((name) => name.slice(0, SERVICE_LENGTH).toWellFormed()),
    moreServices: Math.max(0, services.length - NAMED_SERVICES),
    lastSeenAt: max(firing.map(({ at }) => at)).toISOString(),
  };
}
