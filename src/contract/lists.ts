import { z } from 'zod';
import { Mute } from './mute.ts';
import { IncidentSummary, Signal } from './resources.ts';
import { Count } from './values.ts';

/** What every list of our service has beside its array. */
export const Page = {
  limit: Count.optional(),
  offset: Count.optional(),
  has_more: z.boolean().optional(),
  /** The `cursor` of the next page; null on the last page. */
  next_cursor: z.string().nullish(),
};

const Bounded = {
  /** Whether there are more than `total`: what no counter is kept for is counted up to 10,000. Absent: it is exact. */
  total_is_lower_bound: z.boolean().optional(),
};

export const IncidentList = z.object({
  incidents: z.array(IncidentSummary),
  total: Count.optional(),
  ...Bounded,
  ...Page,
});
export type IncidentList = z.infer<typeof IncidentList>;

/** All mutes that have not ended, the one that ends first first. */
export const MuteList = z.object({ mutes: z.array(Mute) });
export type MuteList = z.infer<typeof MuteList>;

export const SignalList = z.object({
  signals: z.array(Signal),
  total: Count.optional(),
  ...Bounded,
  ...Page,
});
export type SignalList = z.infer<typeof SignalList>;
