import { z } from 'zod';
import { Count, Timestamp } from './values.ts';

/**
 * How the requests that a service lost differ from those that went well there, by attributes of their spans. Counts have the
 * weights of sampling in them.
 */
export const Comparison = z.object({
  service: z.string(),
  /** Requests of the present failure. */
  lost: Count,
  /** Requests that went well since `since`, which is shortly before the first of the lost ones. */
  good: Count,
  since: Timestamp,
  /** How many requests it stands on: fewer than `lost` and `good` together, if senders send a sample. */
  kept: Count,
  /** What was compared: `version`, `instance`, `pod`, `host`, `zone`, `region`, `environment`, `operation`, `caller`, `call`, `entry`. */
  attributes: z.array(z.string()),
  /**
   * Values that lost requests have clearly more often, the largest difference of the shares first, at most five. `lost_of`
   * and `good_of` are the requests whose value is known. Empty: they do not differ.
   */
  differences: z.array(
    z.object({
      attribute: z.string(),
      value: z.string(),
      lost: Count,
      lost_of: Count,
      good: Count,
      good_of: Count,
    }),
  ),
});
export type Comparison = z.infer<typeof Comparison>;
