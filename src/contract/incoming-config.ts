import { z } from 'zod';

/** Characters. */
const MAX_NAME = 200;
const MAX_SECRET = 255;

const seconds = z
  .int()
  .min(10)
  .max(31 * 86_400);

/** `config` of type `heartbeat`. An incident opens if a heartbeat is late by more than the grace period. */
export const HeartbeatConfig = z.object({
  /** Service of the incident. */
  service: z.string().trim().min(1).max(MAX_NAME),
  /** How often it is sent. */
  interval_seconds: seconds,
  /** How late it may be. */
  grace_seconds: seconds.default(60),
});

const label = z.string().min(1).max(200);
const labels = z
  .record(label, z.string().max(500))
  .refine((given) => Object.keys(given).length <= 10, 'must have at most 10 labels');

/** While an alert that matches `source` fires, alerts that match `target` and have equal labels join its incident. */
const InhibitRule = z.object({
  source: labels.refine((given) => Object.keys(given).length > 0, 'must name a label'),
  /** Empty: every other alert. */
  target: labels.default({}),
  /** Labels that both have with the same value. */
  equal: z.array(label).max(10).default([]),
});
export type InhibitRule = z.infer<typeof InhibitRule>;

/** `config` of other types that send us signals. */
export const IncomingConfig = z.object({
  /** Minutes without a request after which an incident opens. Absent: silence is no failure. */
  silence_minutes: z
    .int()
    .min(1)
    .max(31 * 1_440)
    .optional(),
  /** Which alerts make others pointless. */
  inhibit: z.array(InhibitRule).max(20).optional(),
});

/** `config` of types that sign what they send. */
export const SigningConfig = IncomingConfig.extend({
  /** The secret that was given to the sender. With it, requests without a right signature are refused. */
  secret: z.string().min(8).max(MAX_SECRET).optional(),
});
