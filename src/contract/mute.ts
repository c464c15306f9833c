import { z } from 'zod';
import { ActorId, Id, Timestamp } from './values.ts';

/**
 * `incident`: that incident. `service`: incidents with that root service. `integration`: incidents of which all signals
 * come from that integration. `labels`: incidents that have each of these labels, and no other value of them.
 */
export const MuteTarget = z.enum(['incident', 'service', 'integration', 'labels']);
export type MuteTarget = z.infer<typeof MuteTarget>;

/** How often planned work comes back. */
export const MuteRepeat = z.enum(['day', 'week']);

/**
 * No reminders and no new messages until then. One for each target and value, and for each start: a new one replaces the
 * one before.
 */
export const Mute = z.object({
  id: Id,
  /** A later version may have other words. */
  target: MuteTarget.or(z.string()),
  /** Id of the incident or the integration, name of the service, or labels: `env:prod*, team:payments`. */
  value: z.string(),
  until: Timestamp,
  /** When it starts; null or absent: it has started. */
  starts_at: Timestamp.nullish(),
  /** It comes back each day or week at this time of day in `time_zone`; null or absent: it does not. */
  repeat: MuteRepeat.nullish(),
  time_zone: z.string().nullish(),
  reason: z.string().nullish(),
  created_by: z.string(),
  created_by_id: ActorId,
  created_at: Timestamp,
});
export type Mute = z.infer<typeof Mute>;
